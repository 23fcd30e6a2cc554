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

    private var path: String {
        control ?? getenv("ROOST_COURIER_SOCKET").map { String(cString: $0) }
            ?? CourierRequest.standardSocket
    }

    /// Sends one request to the courier and returns its answer.
    ///
    /// - Throws: `ExitCode` after a line that says what is wrong: 69 when no courier answers.
    func ask<Body: Codable & Sendable>(
        _ request: CourierRequest,
        _ type: Body.Type = Body.self
    ) throws -> Body {
        let (path, line) = (path, try ControlCodec.line(request))
        let limit: Duration =
            switch request.command {
            case .flush: .seconds(10 + (request.seconds ?? 60))
            // These send request after request to a server, or wait for one to end.
            case .prove, .retry, .drop: .minutes(10)
            default: .seconds(10)
            }
        let loop = try EventLoop()
        let text: String
        do {
            text = try loop.run {
                let connection = try LocalSocket.connect(path: path, on: loop)
                defer { connection.close() }
                try connection.send(line)
                let answer = try await loop.clock.run {
                    try await connection.nextLine()
                } unless: {
                    try await loop.clock.sleep(for: limit)
                }
                guard let answer, let answer else {
                    throw ClientFailure(
                        message: "the courier at \(path) does not answer; see "
                            + "`journalctl -u roost-courier`",
                        exitCode: unavailableExitCode
                    )
                }
                return answer
            }
        } catch let error as LocalSocketError {
            let next =
                "is it running? `systemctl status roost-courier`; it starts once there is an "
                + "/etc/roost/courier.json"
            Output.error("no courier answers at \(path) (\(error)); \(next)")
            throw ExitCode(unavailableExitCode)
        } catch let failure as ClientFailure {
            Output.error(failure.message)
            throw ExitCode(failure.exitCode)
        }
        let answer = try ControlCodec.message(ControlAnswer<Body>.self, from: text)
        if let error = answer.error {
            Output.error(error.message)
            throw ExitCode(1)
        }
        guard let body = answer.body else {
            Output.error("the courier sent an empty answer")
            throw ExitCode(1)
        }
        return body
    }
}
