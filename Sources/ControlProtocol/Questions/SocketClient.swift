import Core
import HardwareIO

/// Client of a local socket; each question has a connection of its own.
package struct SocketClient: QuestionClient {
    package let clock: any NodeClock
    private let open: @Sendable () throws -> any LineConnection

    /// - Parameters:
    ///   - clock: Ends the wait for an answer.
    ///   - open: Connects; throws while nothing listens.
    package init(clock: any NodeClock, open: @escaping @Sendable () throws -> any LineConnection) {
        self.clock = clock
        self.open = open
    }

    /// Opens a connection, for the caller to close.
    package func connect() throws -> any LineConnection { try open() }

    /// - Throws: `LocalSocketError`; `CancellationError`.
    package func exchange(_ line: String, within limit: Duration?) async throws -> String {
        let connection = try open()
        defer { connection.close() }
        return try await connection.exchange(line, within: limit, on: clock)
    }
}

extension LineConnection {
    /// Sends one line and waits for the next one.
    ///
    /// - Parameter limit: How long that may take; nil for 10 s.
    /// - Throws: `LocalSocketError` `.silent` after the limit, `.closed` at the end of the stream;
    ///   `CancellationError`.
    package func exchange(
        _ line: String,
        within limit: Duration?,
        on clock: any NodeClock
    ) async throws -> String {
        let limit = limit ?? .seconds(10)
        try send(line)
        let heard = try await clock.run {
            try await nextLine()
        } unless: {
            try await clock.sleep(for: limit)
        }
        guard let heard else { throw LocalSocketError.silent(limit) }
        guard let answer = heard else { throw LocalSocketError.closed }
        return answer
    }
}
