import ControlProtocol
import Core
import HardwareIO
import Runtime

/// Serves the control socket.
///
/// Every process that may open the socket may ask and command: its file mode is the access control,
/// and each change is recorded with its user. The dashboard alone has a shorter list,
/// `ControlRights`.
package struct ControlServer: Child {
    private let path: String
    private let answers: ControlAnswers
    private let station: StationContext
    private let rights: ControlRights

    init(
        path: String,
        answers: ControlAnswers,
        station: StationContext,
        rights: ControlRights = ControlRights()
    ) {
        self.path = path
        self.answers = answers
        self.station = station
        self.rights = rights
    }

    package func run() async throws {
        let server = LineServer(clock: station.clock) { (line, peer) throws(ControlFailure) in
            try reply(to: line, from: peer)
        }
        try await server.run(try await station.platform.listen(path))
    }

    private func reply(
        to line: String,
        from peer: PeerCredentials?
    ) throws(ControlFailure) -> QuestionTable.Reply {
        let request: ControlRequest = try ControlCodec.message(from: line)
        guard request.version == controlProtocolVersion else {
            throw ControlFailure(
                code: .wrongVersion,
                message:
                    "this node speaks version \(controlProtocolVersion), not \(request.version)"
            )
        }
        let isWaiting = request.command == .tail && request.waitSeconds != nil
        let failure = rights.refusal(of: request.command, thatWaits: isWaiting, from: peer)
        if let failure { throw failure }
        guard request.command != .live else { return .stream(stream) }
        return .line(mayWait: isWaiting) { try await answers.line(for: request, from: peer) }
    }

    /// Sends what happens, until cancelled.
    private func stream(to connection: any LineConnection) async throws {
        guard let feed = station.recorder.subscribe() else {
            throw ControlFailure(code: .busy, message: "too many listen; close one")
        }
        defer { station.recorder.unsubscribe(feed) }
        let clock = station.clock
        var omitted = 0
        while !Task.isCancelled, let item = try await feed.next(on: clock) {
            let present = answers.present
            if feed.omittedCount > omitted {
                let count = feed.omittedCount - omitted
                omitted = feed.omittedCount
                try connection.send(ControlCodec.line(LiveItem(omittedCount: count)))
            }
            try connection.send(ControlCodec.line(LiveItem(item, at: present)))
        }
    }
}
