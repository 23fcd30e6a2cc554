import Core
import Glibc
import HardwareIO
import Testing

@testable import LinuxIO

/// Real events of the kernel through the real libudev.
///
/// Writing to a device's `uevent` file makes the kernel tell of it again, as udevadm trigger does;
/// only root may. Not where udevd runs: it would have thousands of events to work on.
@Suite(
    .serialized,
    .enabled(
        if: access("/sys/devices/virtual/tty/tty/uevent", W_OK) == 0
            && access("/run/udev/control", F_OK) != 0,
        "needs root, and a machine without udevd"
    )
)
struct UdevEventTests {
    private let loop: EventLoop
    private let monitor: UdevMonitor

    init() throws {
        loop = try EventLoop()
        monitor = try UdevMonitor(subsystems: ["tty"], on: loop)
    }

    @Test func tellsEventsOfItsSubsystemsInOrder() throws {
        let events = try loop.run { [monitor] in
            var events = try await monitor.next()
            trigger("add", "virtual/mem/null")
            for action in ["remove", "add", "change"] { trigger(action, "virtual/tty/tty") }
            while events.count < 4 { events += try await monitor.next() }
            return events
        }
        let snapshot = try #require(events.first)
        guard case .snapshot(let devices) = snapshot,
            let terminal = devices.first(where: { $0.node == "/dev/tty" })
        else {
            Issue.record("the snapshot has no /dev/tty")
            return
        }
        let told = events.dropFirst().map { event in
            switch event {
            case .removed(let device): "remove \(device.devpath)"
            case .added(let device): "add \(device.devpath)"
            case .changed(let device): "change \(device.devpath)"
            case .snapshot: "snapshot"
            }
        }
        #expect(told == ["remove", "add", "change"].map { "\($0) \(terminal.devpath)" })
        monitor.close()
    }

    @Test func takesASnapshotWhenTheKernelDroppedEvents() throws {
        let events = try loop.run { [monitor] in
            var events = try await monitor.next()
            // More than the largest buffer holds: an event takes 1 KiB of it or more.
            for _ in 0..<8_192 { trigger("change", "virtual/tty/tty") }
            events += try await monitor.next()
            return events
        }
        #expect(monitor.overrunCount > 0)
        guard case .snapshot(let before)? = events.first, case .snapshot(let after)? = events.last
        else {
            Issue.record("no snapshot after the overrun")
            return
        }
        #expect(events.count == 2 && before == after)
        monitor.close()
    }
}

/// Makes the kernel tell of a device.
private func trigger(_ action: String, _ device: String) {
    let descriptor = open("/sys/devices/\(device)/uevent", O_WRONLY | O_CLOEXEC)
    #expect(write(descriptor, action, action.utf8.count) == action.utf8.count)
    close(descriptor)
}
