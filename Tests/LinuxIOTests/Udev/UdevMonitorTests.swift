import Core
import HardwareIO
import Testing

@testable import LinuxIO

/// Against the real libudev and this machine's /sys; `mem` has /dev/null everywhere.
@Suite struct UdevMonitorTests {
    /// A subsystem without devices, so without events.
    private static let silent = ["roost-none"]
    private let loop: EventLoop

    init() throws { loop = try EventLoop() }

    @Test(arguments: [false, true]) func startsWithASnapshot(onDiskThread: Bool) throws {
        let disk = onDiskThread ? try DiskThread() : nil
        let monitor = try UdevMonitor(subsystems: ["mem"], on: loop, disk: disk)
        let events = try loop.run { try await monitor.next() }
        guard case .snapshot(let devices) = try #require(events.first), events.count == 1 else {
            Issue.record("the first event is not a snapshot: \(events)")
            return
        }
        let null = devices.first { $0.node == "/dev/null" }
        #expect(null?.devpath == "/devices/virtual/mem/null")
        #expect(null?.properties["MAJOR"] == "1" && null?.properties["MINOR"] == "3")
        #expect(devices.allSatisfy { $0.subsystem == "mem" })
        #expect(monitor.overrunCount == 0)
        monitor.close()
    }

    @Test func enumeratesSeveralSubsystems() throws {
        let monitor = try UdevMonitor(subsystems: ["mem", "tty"], on: loop)
        let events = try loop.run { try await monitor.next() }
        guard case .snapshot(let devices)? = events.first else {
            Issue.record("the first event is not a snapshot")
            return
        }
        #expect(Set(devices.map(\.subsystem)) == ["mem", "tty"])
        monitor.close()
    }

    @Test func throwsWhenClosedUnderAWaitingTask() throws {
        let monitor = try UdevMonitor(subsystems: Self.silent, on: loop)
        let error = try loop.run {
            _ = try await monitor.next()
            return await withTaskGroup(of: (any Error)?.self) { group in
                group.addTask { await Self.failure(of: monitor) }
                await Task.yield()
                monitor.close()
                return await group.next() ?? nil
            }
        }
        #expect(error is HotplugError)
        monitor.close()
    }

    @Test func stopsWaitingWhenCancelled() throws {
        let monitor = try UdevMonitor(subsystems: Self.silent, on: loop)
        let error = try loop.run {
            _ = try await monitor.next()
            return await withTaskGroup(of: (any Error)?.self) { group in
                group.addTask { await Self.failure(of: monitor) }
                group.cancelAll()
                return await group.next() ?? nil
            }
        }
        #expect(error is CancellationError)
        monitor.close()
    }

    private static func failure(of monitor: UdevMonitor) async -> (any Error)? {
        do {
            _ = try await monitor.next()
            return nil
        } catch { return error }
    }
}
