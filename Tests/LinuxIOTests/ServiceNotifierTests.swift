import CLinux
import Glibc
import TestSupport
import Testing

@testable import LinuxIO

@Suite struct ServiceNotifierTests {
    @Test(arguments: [false, true])
    func tellsTheServiceManager(isAbstract: Bool) throws {
        let folder = try TestFolder()
        let manager = try Manager(isAbstract ? "@" + folder.path("n") : folder.path("n"))
        let notifier = ServiceNotifier { $0 == "NOTIFY_SOCKET" ? manager.path : nil }
        #expect(notifier.isActive)
        notifier.ready()
        notifier.status("two\nlines")
        notifier.pet()
        notifier.stopping()
        let heard = (0..<4).map { _ in manager.hear() }
        #expect(heard == ["READY=1", "STATUS=two lines", "WATCHDOG=1", "STOPPING=1"])
    }

    @Test func saysWhenItReloads() throws {
        let folder = try TestFolder()
        let manager = try Manager(folder.path("n"))
        ServiceNotifier { $0 == "NOTIFY_SOCKET" ? manager.path : nil }.reloading()
        let lines = manager.hear().split(separator: "\n")
        #expect(lines.first == "RELOADING=1")
        let moment = try #require(lines.last?.split(separator: "=").last.flatMap { Int($0) })
        #expect(moment > 0)
    }

    @Test func isSilentWhereNobodyAsked() {
        let notifier = ServiceNotifier { _ in nil }
        #expect(!notifier.isActive)
        #expect(notifier.watchdogTimeout == nil)
        notifier.ready()
    }

    @Test(arguments: [
        ("20000000", nil, Duration.seconds(20)), ("20000000", "1", nil), ("0", nil, nil),
        ("soon", nil, nil),
    ])
    func readsTheWatchdogTime(microseconds: String, process: String?, timeout: Duration?) {
        let environment = ["WATCHDOG_USEC": microseconds, "WATCHDOG_PID": process]
        let notifier = ServiceNotifier { environment[$0] ?? nil }
        #expect(notifier.watchdogTimeout == timeout)
    }

    @Test func takesTheWatchdogTimeMeantForThisProcess() {
        let environment = ["WATCHDOG_USEC": "5000000", "WATCHDOG_PID": "\(getpid())"]
        #expect(ServiceNotifier { environment[$0] }.watchdogTimeout == .seconds(5))
    }
}

/// The receiving end of `NOTIFY_SOCKET`.
private final class Manager: Sendable {
    let path: String
    private let socket: OwnedDescriptor

    init(_ path: String) throws {
        self.path = path
        let flags = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        socket = OwnedDescriptor(Glibc.socket(AF_UNIX, flags, 0))
        try #require(clinux_unix_bind(socket.raw, path) == 0)
    }

    /// The next datagram; it is there when the sender returns.
    func hear() -> String {
        var buffer = [UInt8](repeating: 0, count: 1_024)
        let count = recv(socket.raw, &buffer, buffer.count, 0)
        return String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self)
    }
}
