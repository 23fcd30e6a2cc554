import ArgumentParser
import ClientSupport
import ControlProtocol
import Core
import Glibc
import HardwareIO
import LinuxIO

/// Options of every command that asks the running courier.
struct CourierOptions: ParsableArguments {
    @Option(help: "The courier's socket (or the environment variable ROOST_COURIER_SOCKET).")
    var control: String?

    @Flag(help: "Print JSON instead of words.")
    var json = false

    /// Time for a question that sends request after request to a server, or waits for one to end.
    static let serverLimit: Duration = .minutes(10)

    private var path: String {
        control ?? getenv("ROOST_COURIER_SOCKET").map { String(cString: $0) }
            ?? StandardSocket.courier
    }

    /// Asks the courier one question.
    ///
    /// - Throws: `ExitCode` after a line that says what is wrong: 69 when no courier answers.
    func ask<Asked: Question>(
        _ question: Asked,
        within limit: Duration? = nil
    ) throws -> Asked.Answer {
        do {
            return try LocalProgram(at: path).ask(question, within: limit)
        } catch LocalSocketError.silent, LocalSocketError.closed {
            Output.error(
                "the courier at \(path) does not answer; see `journalctl -u roost-courier`"
            )
        } catch let error as LocalSocketError {
            let next = "is it running? `systemctl status roost-courier`"
            Output.error("no courier answers at \(path) (\(error)); \(next)")
        } catch let failure as ControlFailure {
            Output.error(failure.message)
            throw ExitCode(failure.code.exitCode)
        }
        throw ExitCode(unavailableExitCode)
    }
}
