import ClientSupport
import FileIO
import StoreQueries

/// Explains why a station that listens does not answer, by the state of its process.
enum StationUnreachable {
    /// Makes the failure for a station that does not answer, with the next step.
    ///
    /// - Parameters:
    ///   - process: ID of the process that listens at the path; nil when it is not known.
    ///   - limit: Time that the caller waited, in seconds.
    /// - Returns: The failure, with `unavailableExitCode`.
    static func failure(
        path: String,
        process: Int32?,
        after limit: Double
    ) -> ClientFailure {
        let waited = "the station at \(path) does not answer within \(durationText(seconds: limit))"
        var failure = ClientFailure(
            message: waited + reason(process),
            exitCode: unavailableExitCode
        )
        failure.isSilence = true
        return failure
    }

    private static func reason(_ process: Int32?) -> String {
        guard let process, process > 0 else { return "; see what it logged: journalctl -u roostd" }
        let file = "/proc/\(process)/stat"
        return reason(process, state: Files.text(file).flatMap(state))
    }

    /// Explains the silence by the state of the station's process.
    static func reason(_ process: Int32, state: Character?) -> String {
        switch state {
        case "T", "t": ": its process \(process) is stopped; let it go on: kill -CONT \(process)"
        case "D":
            ": its process \(process) waits for a disk or a device; see `dmesg`, and whether the "
                + "card is well: roost doctor"
        case "Z", "X", nil:
            ": its process \(process) has ended; start it: sudo systemctl start roostd"
        default:
            ": its process \(process) runs and is busy or hangs; see what it logged: "
                + "journalctl -u roostd, or wait longer with --timeout"
        }
    }

    /// The state in `/proc/PID/stat`: the third field, after a name that may contain `)`.
    ///
    /// - Source: proc_pid_stat(5).
    static func state(_ text: String) -> Character? {
        guard let end = text.lastIndex(of: ")") else { return nil }
        return text[end...].dropFirst().first { $0 != " " }
    }
}

extension Permission {
    /// Makes the failure for a path that this user may not open, with the next step.
    ///
    /// `may not open PATH: join the group roost: sudo adduser $USER roost, then log in again`.
    static func failure(_ path: String) -> ClientFailure {
        ClientFailure(message: text(path), exitCode: unavailableExitCode)
    }
}
