import ControlProtocol
import Core
import HardwareIO

/// Client of a station's control socket; each question has a connection of its own.
package struct StationLine: Sendable {
    /// Time limit of an answer.
    private static let patience: Duration = .seconds(10)

    package let clock: any NodeClock
    private let open: @Sendable () throws -> any LineConnection

    /// - Parameters:
    ///   - clock: Ends the wait for an answer.
    ///   - open: Connects; throws while there is no station.
    package init(clock: any NodeClock, open: @escaping @Sendable () throws -> any LineConnection) {
        (self.clock, self.open) = (clock, open)
    }

    /// Opens a connection, for the caller to close.
    package func connect() throws -> any LineConnection { try open() }

    /// Asks one question.
    ///
    /// - Throws: `ControlFailure` when the station refuses or is silent; `LocalSocketError`.
    package func ask<Body: Codable & Sendable>(
        _ request: ControlRequest,
        _ type: Body.Type
    ) async throws -> Body {
        let connection = try open()
        defer { connection.close() }
        try connection.send(try ControlCodec.line(request))
        let clock = clock
        let line = try await clock.run {
            try await connection.nextLine()
        } unless: {
            try await clock.sleep(for: Self.patience)
        }
        guard let line = line ?? nil else {
            throw ControlFailure(code: "silent", message: "the station does not answer")
        }
        let answer = try ControlCodec.message(ControlAnswer<Body>.self, from: line)
        if let failure = answer.error { throw failure }
        guard let body = answer.body else {
            throw ControlFailure(code: "bad-answer", message: "the station sent an empty answer")
        }
        return body
    }

    /// Whether the station trusts its clock; nil while it does not answer.
    func trustsClock() async throws -> Bool? {
        do {
            return try await ask(ControlRequest(.clock), ClockReport.self).isSure
        } catch let error where !(error is CancellationError) { return nil }
    }
}
