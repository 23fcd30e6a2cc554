import ControlProtocol
import Core
import Glibc
import HardwareIO
import LinuxIO

/// Single questions to the station, each on a connection of its own.
struct StationLine: Sendable {
    /// How long an answer may take.
    private static let patience: Duration = .seconds(10)

    let socket: String
    let loop: EventLoop

    /// Asks one question.
    ///
    /// - Throws: `ControlFailure` when the station refuses or is silent; `LocalSocketError`.
    func ask<Body: Codable & Sendable>(
        _ request: ControlRequest,
        _ type: Body.Type
    ) async throws -> Body {
        let connection = try LocalSocket.connect(path: socket, on: loop)
        defer { connection.close() }
        try connection.send(try ControlCodec.line(request))
        let clock = loop.clock
        let line = try await withThrowingTaskGroup(of: String?.self) { group in
            group.addTask { try await connection.nextLine() }
            group.addTask {
                try await clock.sleep(for: Self.patience)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
        guard let line else {
            throw ControlFailure(code: "silent", message: "the station does not answer")
        }
        let answer = try ControlCodec.message(ControlAnswer<Body>.self, from: line)
        if let failure = answer.error { throw failure }
        guard let body = answer.body else {
            throw ControlFailure(code: "bad-answer", message: "the station sent an empty answer")
        }
        return body
    }

    /// The machine's time, if the station trusts it; nil if not, or while it does not answer.
    func trustedTime() async throws -> WallTime? {
        do {
            let report = try await ask(ControlRequest(.clock), ClockReport.self)
            return report.isSure ? WallTime(nanoseconds: Int64(time(nil)) * 1_000_000_000) : nil
        } catch let error where !(error is CancellationError) { return nil }
    }
}
