import ClientSupport
import ControlProtocol
import Core
import HardwareIO
import LinuxIO

/// Single questions to a program beside the station, each on a connection of its own.
struct SocketLine: Sendable {
    let socket: String
    /// Name of the program in messages: `roost-eyes`.
    let program: String
    let patience: Duration

    /// Asks one question.
    ///
    /// - Returns: Nil where no program listens.
    /// - Throws: `ControlFailure` when it refuses; `ClientFailure` when it is silent, or the user
    ///   may not ask.
    func ask<Request: Codable & Sendable, Body: Codable & Sendable>(
        _ request: Request,
        _ type: Body.Type
    ) throws -> Body? {
        let (socket, patience, program) = (socket, patience, program)
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
                    let message = "\(program) at \(socket) does not answer"
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
}
