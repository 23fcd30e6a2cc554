import CLinux
import Core
import Glibc

/// Reports the state of the service to systemd; does nothing without `NOTIFY_SOCKET`.
///
/// - Source: systemd 252, sd_notify(3): datagrams of newline-separated assignments.
package struct ServiceNotifier: Sendable {
    private let path: String?
    private let socket: OwnedDescriptor?
    /// How soon systemd wants to hear `WATCHDOG=1` again, or nil when it does not.
    package let watchdogTimeout: Duration?

    /// Reads `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID` of the environment.
    package init() {
        self.init(environment: { name in getenv(name).map { String(cString: $0) } })
    }

    init(environment: (String) -> String?) {
        let flags = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        path = environment("NOTIFY_SOCKET").flatMap { $0.isEmpty ? nil : $0 }
        let raw = path == nil ? -1 : Glibc.socket(AF_UNIX, flags, 0)
        socket = raw >= 0 ? OwnedDescriptor(raw) : nil
        let isOurs = environment("WATCHDOG_PID").map { Int32($0) == getpid() } ?? true
        let microseconds = environment("WATCHDOG_USEC").flatMap { Int64($0) } ?? 0
        watchdogTimeout = isOurs && microseconds > 0 ? .microseconds(microseconds) : nil
    }

    /// Whether systemd listens.
    package var isActive: Bool { socket != nil }

    package func ready() { send("READY=1") }

    /// Reports to systemd that the configuration is read again; `ready()` ends it.
    package func reloading() {
        // Type=notify-reload of systemd ≥ 253 wants the moment on CLOCK_MONOTONIC.
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        send("RELOADING=1\nMONOTONIC_USEC=\(time.tv_sec * 1_000_000 + time.tv_nsec / 1_000)")
    }

    package func stopping() { send("STOPPING=1") }

    /// One line for `systemctl status`.
    package func status(_ message: String) {
        send("STATUS=" + String(message.map { $0.isNewline ? " " : $0 }))
    }

    /// Pets systemd's watchdog.
    package func pet() { send("WATCHDOG=1") }

    private func send(_ text: String) {
        guard let path, let socket else { return }
        // Best effort by design: a service manager that does not listen is not our failure.
        var text = text
        text.withUTF8 { _ = clinux_unix_send(socket.raw, path, $0.baseAddress, $0.count) }
    }
}
