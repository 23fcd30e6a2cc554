import ControlProtocol
import Core
import HardwareIO
import Runtime
import Synchronization

/// Serves the control socket: one line of JSON in, one or many out.
///
/// Bound: `connectionLimit` connections. One more replaces the connection without a request for the
/// longest time; a listener of `live` and one that waits for its answer are kept, and where there
/// are no others the new one gets an error and is closed. Every process that may open the socket
/// may ask and command: its file mode is the access control, and each change is recorded with its
/// user. The dashboard alone has a shorter list, `ControlRights`.
actor ControlServer: Child {
    static let connectionLimit = 16
    /// A connection without a request for this long may be closed for a new one.
    static let idleLimit = Duration.minutes(2)

    private let path: String
    private let answers: ControlAnswers
    private let station: StationContext
    private let rights: ControlRights
    private var clients: [Int: Client] = [:]
    private var lastID = 0

    private struct Client {
        let connection: any LineConnection
        /// Instant of the last answer, or of the connection; nil while a request is served.
        var idleSince: MonotonicInstant?
    }

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

    func run() async throws {
        let listener = try await station.platform.listen(path)
        defer { listener.close() }
        try await withThrowingDiscardingTaskGroup { group in
            while !Task.isCancelled {
                let connection = try await listener.accept()
                if clients.count >= Self.connectionLimit, !makeRoom() {
                    Self.refuse(connection)
                    continue
                }
                lastID += 1
                let id = lastID
                clients[id] = Client(connection: connection, idleSince: station.clock.now)
                group.addTask { await self.serve(connection, id) }
            }
        }
    }

    /// Closes the connection without a request for the longest time; false when there is none.
    private func makeRoom() -> Bool {
        let idle = clients.compactMap { id, client in client.idleSince.map { (since: $0, id: id) } }
        guard let oldest = idle.min(by: { ($0.since, $0.id) < ($1.since, $1.id) }),
            let client = clients.removeValue(forKey: oldest.id)
        else { return false }
        let failure = ControlFailure(
            code: "idle",
            message: "closed to make room: \(Self.connectionLimit) connections are open, and this "
                + "one was idle for the longest time; connect again"
        )
        let connection = client.connection
        try? connection.send(ControlCodec.line(ControlAnswer<StatusReport>(.failure(failure))))
        connection.close()
        return true
    }

    private static func refuse(_ connection: any LineConnection) {
        let failure = ControlFailure(
            code: "too-many",
            message: "\(connectionLimit) connections are open; close one"
        )
        try? connection.send(ControlCodec.line(ControlAnswer<StatusReport>(.failure(failure))))
        connection.close()
    }

    private func serve(_ connection: any LineConnection, _ id: Int) async {
        defer {
            connection.close()
            clients[id] = nil
        }
        do {
            while let line = try await nextLine(of: connection) {
                clients[id]?.idleSince = nil
                guard try await answer(line, on: connection) else { return }
                clients[id]?.idleSince = station.clock.now
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
        let isWaiting = request.command == .tail && request.waitSeconds != nil
        let failure = rights.refusal(
            of: request.command,
            thatWaits: isWaiting,
            from: connection.peer
        )
        if let failure {
            try connection.send(ControlCodec.line(ControlAnswer<StatusReport>(.failure(failure))))
            return true
        }
        if request.command == .live {
            try await stream(to: connection)
            return false
        }
        if isWaiting { return try await follow(request, on: connection) }
        try connection.send(await answers.line(for: request, from: connection.peer))
        return true
    }

    /// Answers a question that may wait for minutes, as long as its peer is there.
    ///
    /// What the peer sends meanwhile ends the connection, as its leaving does.
    private func follow(
        _ request: ControlRequest,
        on connection: any LineConnection
    ) async throws -> Bool {
        let answers = answers
        return try await withThrowingTaskGroup(of: String?.self) { group in
            group.addTask { try await answers.line(for: request, from: connection.peer) }
            group.addTask {
                _ = try await connection.nextLine()
                return nil
            }
            defer { group.cancelAll() }
            guard let line = try await group.next() ?? nil else { return false }
            try connection.send(line)
            return true
        }
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
                    let present = answers.present
                    if feed.omittedCount > omitted {
                        let count = feed.omittedCount - omitted
                        omitted = feed.omittedCount
                        try connection.send(ControlCodec.line(LiveItem(omittedCount: count)))
                    }
                    try connection.send(ControlCodec.line(LiveItem(item, at: present)))
                }
            }
            // A listener leaves by closing its stream; what it sends is ignored.
            group.addTask {
                while !Task.isCancelled, try await connection.nextLine() != nil {}
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}
