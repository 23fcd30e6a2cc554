import ClientSupport
import ControlProtocol
import Core
import Glibc
import HardwareIO

/// Single questions to a program beside the station, each on a connection of its own.
struct SocketLine: Sendable {
    let socket: String
    /// Name of the program in messages: `roost-eyes`.
    let program: String
    let patience: Duration

    /// The courier.
    ///
    /// - Parameter named: Its socket; nil for the environment's, else the standard one.
    static func courier(_ named: String?) -> SocketLine {
        let path = named ?? getenv("ROOST_COURIER_SOCKET").map { String(cString: $0) }
        return SocketLine(
            socket: path ?? StandardSocket.courier,
            program: "roost-courier",
            patience: .seconds(5)
        )
    }

    /// The camera's program.
    ///
    /// - Parameter patience: Deleting writes over each picture: seconds for hundreds of them.
    static func camera(
        _ socket: String = StandardSocket.camera,
        patience: Duration = .seconds(60)
    ) -> SocketLine {
        SocketLine(socket: socket, program: "roost-eyes", patience: patience)
    }

    /// Asks one question.
    ///
    /// - Returns: Nil where no program listens.
    /// - Throws: `ControlFailure` when it refuses; `ClientFailure` when it is silent, or the user
    ///   may not ask.
    func ask<Asked: Question>(_ question: Asked) throws -> Asked.Answer? {
        do {
            return try LocalProgram(at: socket).ask(question, within: patience)
        } catch LocalSocketError.system(_, let code, _) {
            switch code {
            case ENOENT, ECONNREFUSED: return nil
            case EACCES:
                let message = "\(socket): no permission; join the group roost, or use sudo"
                throw ClientFailure(message: message, exitCode: 1)
            default:
                throw ClientFailure(message: "\(socket): errno \(code)", exitCode: 1)
            }
        } catch LocalSocketError.silent, LocalSocketError.closed {
            let message = "\(program) at \(socket) does not answer"
            throw ClientFailure(message: message, exitCode: 1, isSilence: true)
        }
    }

    /// Asks one question; a refusal ends the command.
    func report<Asked: Question>(_ question: Asked) throws -> Asked.Answer? {
        do { return try ask(question) } catch let failure as ControlFailure {
            throw ClientFailure(message: failure.message, exitCode: failure.code.exitCode)
        }
    }
}
