import ArgumentParser
import ClientSupport
import Configuration
import ControlProtocol
import Core
import Glibc
import HardwareIO
import LinuxIO
import Station
import StoreQueries

/// Where the station is, and how to answer.
struct ClientOptions: ParsableArguments {
    @Option(help: "The station's control socket (or the environment variable ROOST_SOCKET).")
    var socket: String?

    @Option(help: "How long to wait for an answer of the station.")
    var timeout = DurationArgument(ControlClient.patience)

    @Flag(help: "Print JSON instead of words.")
    var json = false

    /// Options of a command that has only `--socket`.
    ///
    /// ArgumentParser gives options their values by parsing; reading one before that ends the
    /// process.
    ///
    /// - Parameter socket: The station's control socket; nil for the usual one.
    /// - Returns: The options, all others at their defaults.
    /// - Throws: What ArgumentParser says of the socket's path.
    static func reaching(_ socket: String?) throws -> ClientOptions {
        try parse(socket.map { ["--socket=\($0)"] } ?? [])
    }

    var socketPath: String {
        socket ?? getenv("ROOST_SOCKET").map { String(cString: $0) }
            ?? StationConfiguration.defaultSocket
    }

    /// Connects, runs `body`, and turns an error into a message and an exit code.
    func withStation<Value: Sendable>(
        _ body: @escaping @Sendable (ControlClient) async throws -> Value
    ) throws -> Value {
        let (path, timeout) = (socketPath, timeout.duration)
        let loop = try EventLoop()
        do {
            return try loop.run {
                let connection = try LocalSocket.connect(path: path, on: loop)
                let client = ControlClient(
                    connection: connection,
                    clock: loop.clock,
                    path: path,
                    timeout: timeout
                )
                defer { connection.close() }
                return try await body(client)
            }
        } catch let error as LocalSocketError {
            throw ClientFailure.unreachable(for: error, path: path)
        } catch let failure as ControlFailure {
            throw ClientFailure(message: failure.message, exitCode: failure.code.exitCode)
        }
    }

    /// Asks one question, and prints its answer as JSON or as text.
    func show<Asked: Question>(
        answerTo question: Asked,
        _ text: (Asked.Answer, Paint) -> [String]
    ) throws {
        try show(withStation { try await $0.ask(question) }, text)
    }

    /// Prints a report as JSON or as text.
    func show<Body: Codable & Sendable>(
        _ body: Body,
        _ words: (Body, Paint) -> [String]
    ) throws {
        if json {
            Output.line(try ControlCodec.line(body))
        } else {
            for line in words(body, .forStandardOutput) { Output.line(line) }
        }
    }
}

/// Asks a station, one question at a time.
struct ControlClient: QuestionClient {
    /// Time limit of an answer; a station that does not answer in that time hangs or is stopped.
    static let patience = Duration.seconds(10)

    let connection: any LineConnection
    let clock: any NodeClock
    /// Where the station listens, for messages.
    let path: String
    var timeout = patience

    /// - Throws: `ClientFailure` when the station does not answer; `LocalSocketError`.
    func exchange(_ line: String, within limit: Duration?) async throws -> String {
        do {
            return try await connection.exchange(line, within: limit ?? timeout, on: clock)
        } catch LocalSocketError.silent(let limit) {
            throw StationUnreachable.failure(
                path: path,
                process: connection.peer?.processID,
                after: limit.inSeconds
            )
        }
    }
}

extension ControlClient {
    /// Asks page after page until there is no next.
    func pages<Item>(
        _ ask: (_ from: String?) async throws -> ([Item], omittedCount: Int, next: String?)
    ) async throws -> (items: [Item], omittedCount: Int) {
        var (items, omitted) = ([Item](), 0)
        var from: String?
        repeat {
            let page = try await ask(from)
            items += page.0
            omitted += page.omittedCount
            from = page.next
        } while from != nil
        return (items, omitted)
    }
}

extension ClientFailure {
    /// Describes why the station cannot be reached, with the next step.
    static func unreachable(for error: LocalSocketError, path: String) -> ClientFailure {
        let message: String
        var isAbsence = false
        switch error {
        case .system(_, ENOENT, _), .system(_, ECONNREFUSED, _):
            isAbsence = true
            message =
                "no station answers at \(path); start one with `roostd`, "
                + "or name its socket with --socket"
        case .system(_, EACCES, _): return Permission.failure(path)
        case .system(_, EAGAIN, _):
            message =
                "the station at \(path) accepts no more connections: it is stopped or hangs; "
                + "see what it logged: journalctl -u roostd"
        case .closed:
            message = "the station closed the connection: it is stopping, or has too many"
        default:
            message = "\(error)"
        }
        return ClientFailure(
            message: message,
            exitCode: unavailableExitCode,
            isAbsence: isAbsence
        )
    }
}
