import FileIO
import Glibc
import HardwareIO
import LinuxIO
import Provisioning

/// The programs by which the root service handles the radio, `wlan0`.
///
/// They are found by `PATH`; none gets a secret as an argument.
final class RadioTools {
    static let device = "wlan0"
    private static let accessPoint = "roost-access-point.service"
    private static let network = "wpa_supplicant@\(device).service"
    /// Bytes of one look at networks in range at most.
    private static let scanByteMax = 1 << 20

    /// Path of the system's root; empty for this machine.
    private let root: String
    private var candidate: pid_t?

    init(root: String) { self.root = root }

    private var log: String { "\(root)/\(NetworkSurvey.folder)/log" }
    private var atOnce: String { "\(root)/\(NetworkSurvey.folder)/point-at-once" }

    /// Runs a program to its end.
    ///
    /// - Throws: `RadioFailure` where it cannot be started or ends with an error.
    private func run(_ command: String...) throws(RadioFailure) {
        do throws(UpdateError) {
            let status = ChildProgram.wait(
                try ChildProgram.start(command, input: nil, output: STDERR_FILENO)
            )
            guard status == 0 else {
                throw UpdateError.failed("`\(command.joined(separator: " "))` failed")
            }
        } catch { throw RadioFailure("\(error)") }
    }

    /// What a program prints; nothing where it cannot.
    ///
    /// It is ended after 20 seconds: a radio whose driver waits would keep the page waiting.
    private func output(_ command: String...) -> String {
        let bounded = ["timeout", "-k", "5", "20"] + command
        return (try? ChildProgram.output(of: bounded, limit: Self.scanByteMax)) ?? ""
    }

    /// Whole seconds since the machine started, by a clock that no one sets.
    static var second: Int {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return time.tv_sec
    }

    // MARK: Looking

    /// Looks for networks anew; where the radio cannot now, those that were seen last.
    func scan(isAccessPoint: Bool) -> String {
        let found =
            isAccessPoint
            ? output("iw", "dev", Self.device, "scan", "ap-force")
            : output("iw", "dev", Self.device, "scan")
        return found.isEmpty ? seen : found
    }

    /// Networks that were seen last.
    var seen: String { output("iw", "dev", Self.device, "scan", "dump") }

    /// Lines of `wpa_cli status`.
    var status: String { output("wpa_cli", "-i", Self.device, "status") }

    /// What keeps the station out of the network that is tried.
    func finding(_ configuration: String) -> WirelessFinding? {
        let said = Files.text(log, limit: Self.scanByteMax) ?? ""
        let address = output("ip", "-o", "address", "show", "dev", Self.device, "scope", "global")
        return WirelessFinding(
            "\(said)\n\(status)\n\(seen)",
            configuration: configuration,
            hasAddress: !address.isEmpty
        )
    }

    func wait(seconds: Int) throws(RadioFailure) { try run("sleep", "\(seconds)") }

    // MARK: Changing

    /// Ends whatever has the radio, and the addresses of it: none of the present network counts.
    func free() throws(RadioFailure) {
        // As it ends, the access point starts the present network.
        try run("systemctl", "stop", Self.accessPoint)
        try run("systemctl", "stop", Self.network)
        try run("ip", "address", "flush", "dev", Self.device, "scope", "global")
        try run("networkctl", "reconfigure", Self.device)
    }

    func startCandidate(_ configuration: String) throws(RadioFailure) {
        do {
            unlink(log)
            let file = try Files.open(log, from: .new, mode: 0o600)
            let command = ["wpa_supplicant", "-i", Self.device, "-c", configuration]
            candidate = try ChildProgram.start(command, input: nil, output: file.descriptor)
        } catch { throw RadioFailure("\(error)") }
    }

    func endCandidate() {
        if let candidate {
            kill(candidate, SIGTERM)
            _ = ChildProgram.wait(candidate)
        }
        candidate = nil
        unlink(log)
    }

    func startPresent() throws(RadioFailure) {
        try run("systemctl", "--no-block", "start", Self.network)
    }

    func openPoint(atOnce isAtOnce: Bool) throws(RadioFailure) {
        if isAtOnce {
            do { try Files.append([], to: atOnce, mode: 0o644) } catch {
                throw RadioFailure("\(error)")
            }
        }
        try run("systemctl", "--no-block", "restart", Self.accessPoint)
    }

    /// Has the station read again what is wrong with its files.
    func reloadStation() throws(RadioFailure) {
        try run("systemctl", "--no-block", "reload", "roostd.service")
    }
}

/// The reason why the radio could not be handled.
struct RadioFailure: Error, Hashable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
