import ClientSupport
import ControlProtocol
import Core
import HardwareIO
import LinuxIO

/// Single questions to `roost-eyes`, each on a connection of its own.
struct EyesLine: Sendable {
    /// Deleting writes over each picture: seconds for hundreds of them.
    private static let patience: Duration = .seconds(60)

    var socket = EyesRequest.standardSocket
    var patience = Self.patience

    /// Asks one question.
    ///
    /// - Returns: Nil where no `roost-eyes` listens.
    /// - Throws: `ControlFailure` when it refuses; `ClientFailure` when it is silent, or the user
    ///   may not ask.
    func ask<Body: Codable & Sendable>(
        _ request: EyesRequest,
        _ type: Body.Type
    ) throws -> Body? {
        let (socket, patience) = (socket, patience)
        let loop = try EventLoop()
        do {
            return try loop.run {
                let connection = try LocalSocket.connect(path: socket, on: loop)
                defer { connection.close() }
                try connection.send(ControlCodec.line(request))
                let line = try await loop.clock.value(within: patience) {
                    try await connection.nextLine()
                }
                guard let line = line ?? nil else {
                    let message = "roost-eyes at \(socket) does not answer"
                    throw ClientFailure(message: message, exitCode: 1, isSilence: true)
                }
                let answer = try ControlCodec.message(ControlAnswer<Body>.self, from: line)
                if let failure = answer.error { throw failure }
                return answer.body
            }
        } catch LocalSocketError.system(_, let code, _) {
            switch code {
            // ENOENT and ECONNREFUSED: no process listens there.
            case 2, 111: return nil
            case 13:
                let message = "\(socket): no permission; join the group roost, or use sudo"
                throw ClientFailure(message: message, exitCode: 1)
            default:
                throw ClientFailure(message: "\(socket): errno \(code)", exitCode: 1)
            }
        }
    }

    /// How the camera is; nil where none runs, and where it does not say.
    func report() -> EyesReport? {
        (try? ask(EyesRequest(.status), EyesReport.self)) ?? nil
    }
}
