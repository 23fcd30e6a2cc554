import ControlProtocol
import HardwareIO
import Readings
import Supervision
import Synchronization

/// Serves the control socket: one line of JSON in, one or many out.
///
/// Bound: `connectionLimit` connections; one more is told so and closed. Whoever may open the
/// socket may ask and command: its file mode is the lock, and who changed what is written down.
package actor ControlServer: Child {
    static let connectionLimit = 16
    /// A connection that asks nothing for so long makes room for others.
    static let idleLimit = Duration.minutes(2)

    private let path: String
    private let answers: ControlAnswers
    private let station: StationContext
    private let heartbeat: Heartbeat
    private var connectionCount = 0

    package init(
        path: String,
        answers: ControlAnswers,
        station: StationContext,
        heartbeat: Heartbeat
    ) {
        self.path = path
        self.answers = answers
        self.station = station
        self.heartbeat = heartbeat
    }

    package func run() async throws {
        let listener = try await station.platform.listen(path)
        defer { listener.close() }
        try await withThrowingDiscardingTaskGroup { group in
            while !Task.isCancelled {
                heartbeat.beat()
                let connection = try await listener.accept()
                guard connectionCount < Self.connectionLimit else {
                    Self.refuse(connection)
                    continue
                }
                connectionCount += 1
                group.addTask { await self.serve(connection) }
            }
        }
    }

    private static func refuse(_ connection: any LineConnection) {
        let failure = ControlFailure(
            code: "too-many",
            message: "\(connectionLimit) connections are open; close one"
        )
        try? connection.send(ControlCodec.line(ControlAnswer<StatusReport>(.failure(failure))))
        connection.close()
    }

    private func serve(_ connection: any LineConnection) async {
        defer {
            connection.close()
            connectionCount -= 1
        }
        do {
            while let line = try await nextLine(of: connection) {
                guard try await answer(line, on: connection) else { return }
            }
        } catch let error as LocalSocketError {
            guard case .lineTooLong = error else { return }
            let failure = ControlFailure(code: "bad-request", message: "\(error)")
            try? connection.send(ControlCodec.line(ControlAnswer<StatusReport>(.failure(failure))))
        } catch {
            // Cancelled, or a peer that reads too slowly: the connection ends, the node does not.
        }
    }

    /// The next request; nil at the end, or when none comes for too long.
    private func nextLine(of connection: any LineConnection) async throws -> String? {
        let clock = station.clock
        return try await withThrowingTaskGroup(of: String?.self) { group in
            group.addTask { try await connection.nextLine() }
            group.addTask {
                try await clock.sleep(for: Self.idleLimit, tolerance: Self.idleLimit / 2)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }

    /// Answers one request.
    ///
    /// - Returns: Whether the connection goes on.
    private func answer(_ line: String, on connection: any LineConnection) async throws -> Bool {
        let request: ControlRequest
        do {
            request = try ControlCodec.message(from: line)
        } catch {
            try connection.send(ControlCodec.line(ControlAnswer<StatusReport>(.failure(error))))
            return true
        }
        guard request.version == controlProtocolVersion else {
            let failure = ControlFailure(
                code: "wrong-version",
                message:
                    "this node speaks version \(controlProtocolVersion), not \(request.version)"
            )
            try connection.send(ControlCodec.line(ControlAnswer<StatusReport>(.failure(failure))))
            return true
        }
        if request.command == .live {
            try await stream(to: connection)
            return false
        }
        try connection.send(await answers.line(for: request, from: connection.peer))
        return true
    }

    /// Sends what happens until the peer leaves.
    private func stream(to connection: any LineConnection) async throws {
        guard let feed = station.recorder.subscribe() else {
            return Self.refuse(connection)
        }
        defer { station.recorder.unsubscribe(feed) }
        let (clock, answers) = (station.clock, answers)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                var omitted = 0
                while !Task.isCancelled, let item = try await feed.next(on: clock) {
                    let present = Present(now: clock.now, reading: answers.wallReading)
                    if feed.omittedCount > omitted {
                        let count = feed.omittedCount - omitted
                        omitted = feed.omittedCount
                        try connection.send(ControlCodec.line(LiveItem(omittedCount: count)))
                    }
                    try connection.send(ControlCodec.line(LiveItem(item, at: present)))
                }
            }
            // The end of its stream is how a listener leaves; whatever it says is not for us.
            group.addTask {
                while !Task.isCancelled, try await connection.nextLine() != nil {}
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}
