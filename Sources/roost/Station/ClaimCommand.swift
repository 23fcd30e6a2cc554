import ArgumentParser
import ClientSupport
import ControlProtocol
import Core
import Glibc
import HardwareIO
import LinuxIO

struct ClaimCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "claim",
        abstract: "Prints the code that makes you the owner of this station's dashboard.",
        discussion: """
            Open the page, type the code, your name and a password. The code is good for a quarter \
            of an hour and five tries; each `roost claim` makes a new one.

            `--reset` starts over, for a lost password or a station that was given away: it ends \
            all sessions and removes all accounts. What was measured stays.

            Examples: roost claim
                      roost claim --reset
            Exit codes: 0 done, 1 refused, 64 wrong usage, 69 no dashboard answers.
            """
    )
    @Flag(help: "Remove all accounts first; readings stay.")
    var reset = false

    @Flag(help: "Print JSON instead of words.")
    var json = false

    @Option(help: "The dashboard's claim socket.")
    var socket = "/run/roost-web/claim.sock"

    func run() throws {
        let report = try ask()
        if json {
            Output.line(try ControlCodec.line(report))
        } else {
            for line in Self.lines(report) { Output.line(line) }
        }
    }

    /// Returns the lines of text for a report.
    static func lines(_ report: ClaimReport) -> [String] {
        let removed = report.removedCount.map {
            ["\($0) \($0 == 1 ? "account was" : "accounts were") removed; what was measured stays."]
        }
        let address = report.addresses.first ?? "the station's address"
        guard let code = report.code else {
            let owner = report.claimedBy ?? "an owner"
            let since = report.claimedAt.map { " at \($0)" } ?? ""
            return (removed ?? []) + [
                "This station was claimed by \(owner)\(since): log in at \(address)",
                "To start over, with all accounts removed: roost claim --reset",
            ] + trust(report)
        }
        let others = report.addresses.dropFirst().map { "or          \($0)" }
        let minutes = (report.seconds ?? 0) / 60
        return (removed ?? []) + ["open        \(address)"] + others + [
            "the code is \(code)", "good for \(minutes) min and 5 tries",
        ] + trust(report)
    }

    /// Returns the fingerprint as the page Trust shows it: equal digits mean the same station.
    private static func trust(_ report: ClaimReport) -> [String] {
        guard let digits = report.fingerprint?.split(separator: ":"), digits.count == 32 else {
            return []
        }
        let rows = [digits[..<16], digits[16...]].map { $0.joined(separator: ":") }
        return ["fingerprint \(rows[0])", "            \(rows[1])"]
    }

    private func ask() throws -> ClaimReport {
        let (path, request) = (socket, ClaimRequest(reset: reset))
        let loop = try EventLoop()
        do {
            return try loop.run {
                let client = SocketClient(path: path, on: loop)
                let line = try ControlCodec.line(request)
                return try ControlCodec.body(from: try await client.exchange(line, within: nil))
            }
        } catch LocalSocketError.silent, LocalSocketError.closed {
            throw Self.silence(path)
        } catch let error as LocalSocketError {
            throw Self.failure(error, path)
        } catch let failure as ControlFailure {
            throw ClientFailure(message: failure.message, exitCode: failure.code.exitCode)
        }
    }

    private static func silence(_ path: String) -> ClientFailure {
        ClientFailure(
            message: "the dashboard at \(path) does not answer; see: journalctl -u roost-web",
            exitCode: unavailableExitCode
        )
    }

    private static func failure(_ error: LocalSocketError, _ path: String) -> ClientFailure {
        if case .system(_, let code, _) = error, absent.contains(code) {
            return ClientFailure(
                message: "no dashboard answers at \(path); start it: "
                    + "sudo systemctl start roost-web.socket, or name its socket with --socket",
                exitCode: unavailableExitCode,
                isAbsence: true
            )
        }
        return ClientFailure.unreachable(for: error, path: path)
    }

    private static let absent: Set<Int32> = [ENOENT, ECONNREFUSED]
}
