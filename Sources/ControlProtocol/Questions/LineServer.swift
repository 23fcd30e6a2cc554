import Core
import HardwareIO

/// Serves a local socket: one line of JSON in, one or many out.
///
/// Bound: `connectionLimit` connections. One more replaces the connection without a question for
/// the longest time; a connection whose question is being answered is kept, and where there are no
/// others the new one gets an error and is closed.
package actor LineServer {
    package static let connectionLimit = 16
    /// A connection without a question for this long is closed.
    private static let idleLimit = Duration.minutes(2)

    /// Returns the reply to a line; throws `ControlFailure` to refuse.
    package typealias Answerer =
        @Sendable (_ line: String, _ peer: PeerCredentials?) throws(ControlFailure) ->
        QuestionTable.Reply

    private struct Client {
        let connection: any LineConnection
        /// Instant of the last answer, or of the connection; nil while a question is answered.
        var idleSince: MonotonicInstant?
    }

    private let clock: any NodeClock
    private let reply: Answerer
    private var clients: [Int: Client] = [:]
    private var lastID = 0

    package init(clock: any NodeClock, reply: @escaping Answerer) {
        self.clock = clock
        self.reply = reply
    }

    package init(_ table: QuestionTable, clock: any NodeClock) {
        self.init(clock: clock) { (line, peer) throws(ControlFailure) in
            try table.reply(to: line, from: peer)
        }
    }

    /// Serves until cancelled, and closes the listener then.
    ///
    /// - Throws: As the listener does; `CancellationError`.
    package func run(_ listener: any LineListener) async throws {
        defer { listener.close() }
        try await withThrowingDiscardingTaskGroup { group in
            while !Task.isCancelled {
                let connection = try await listener.accept()
                if clients.count >= Self.connectionLimit, !makeRoom() {
                    let message = "\(Self.connectionLimit) connections are open; close one"
                    Self.refuse(connection, ControlFailure(code: .busy, message: message))
                    connection.close()
                    continue
                }
                lastID += 1
                let id = lastID
                clients[id] = Client(connection: connection, idleSince: clock.now)
                group.addTask { await self.serve(connection, id) }
            }
        }
    }

    /// Closes the connection without a question for the longest time; false when there is none.
    private func makeRoom() -> Bool {
        let idle = clients.compactMap { id, client in client.idleSince.map { (since: $0, id: id) } }
        guard let oldest = idle.min(by: { ($0.since, $0.id) < ($1.since, $1.id) }),
            let client = clients.removeValue(forKey: oldest.id)
        else { return false }
        let message =
            "closed to make room: \(Self.connectionLimit) connections are open, and this one was "
            + "idle for the longest time; connect again"
        Self.refuse(client.connection, ControlFailure(code: .busy, message: message))
        client.connection.close()
        return true
    }

    /// Sends a refusal to a peer that may be gone.
    private static func refuse(_ connection: any LineConnection, _ failure: ControlFailure) {
        try? connection.send(ControlCodec.line(refusing: failure))
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
                clients[id]?.idleSince = clock.now
            }
        } catch LocalSocketError.lineTooLong(let byteCount) {
            let error = LocalSocketError.lineTooLong(byteCount: byteCount)
            Self.refuse(connection, ControlFailure(code: .badRequest, message: "\(error)"))
        } catch {
            // Cancelled, or a peer that reads too slowly: only its connection ends.
        }
    }

    /// The next line; nil at the end, or when none comes for too long.
    private func nextLine(of connection: any LineConnection) async throws -> String? {
        let clock = clock
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

    /// Answers one line.
    ///
    /// - Returns: Whether the connection goes on.
    private func answer(_ line: String, on connection: any LineConnection) async throws -> Bool {
        do {
            switch try reply(line, connection.peer) {
            case .line(mayWait: false, let answer): try connection.send(await answer())
            case .line(mayWait: true, let answer):
                return try await follow(answer, on: connection)
            case .stream(let send):
                try await stream(send, to: connection)
                return false
            }
        } catch let failure as ControlFailure {
            try connection.send(ControlCodec.line(refusing: failure))
        }
        return true
    }

    /// Sends an answer that may take minutes, as long as its peer is there.
    ///
    /// Any line that the peer sends meanwhile ends the connection, as its leaving does.
    private func follow(
        _ answer: @escaping @Sendable () async throws -> String,
        on connection: any LineConnection
    ) async throws -> Bool {
        try await withThrowingTaskGroup(of: String?.self) { group in
            group.addTask { try await answer() }
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

    /// Sends lines until the peer closes its stream; any line that it sends is ignored.
    private func stream(
        _ send: @escaping @Sendable (any LineConnection) async throws -> Void,
        to connection: any LineConnection
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await send(connection) }
            group.addTask {
                while !Task.isCancelled, try await connection.nextLine() != nil {}
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}
