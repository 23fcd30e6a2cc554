import Core
import Glibc
import TestSupport
import Testing

@testable import LinuxIO

@Suite struct PortPowerTests {
    private let now = MonotonicInstant.boot.advanced(by: .days(3))

    @Test func readsTheTimeAtWhichUdevSawTheAdapter() {
        let record = "S:serial/by-path/platform-usb-0:1.2\nI:4711000000\nE:ID_BUS=usb\nV:1\n"
        #expect(PortPower.stamp(in: record) == .seconds(4_711))
        #expect(PortPower.stamp(in: "E:ID_BUS=usb\n") == nil)
        #expect(PortPower.stamp(in: "I:junk\n") == nil)
    }

    private func age(_ stamp: Duration, now: Duration, running: Duration) -> Duration {
        let now = MonotonicInstant.boot.advanced(by: now)
        return PortPower.instant(of: stamp, at: now, running: running).duration(to: now)
    }

    @Test func aStampOfUdevIsAnInstantOfTheStation() {
        #expect(age(.seconds(40), now: .seconds(100), running: .seconds(100)) == .seconds(60))
    }

    /// A suspended night is taken for time before the stamp: nothing is warm too early.
    @Test func suspendedTimeIsNoTimeWithPower() {
        #expect(age(.seconds(40), now: .hours(9), running: .seconds(100)) == .seconds(60))
    }

    @Test func aStampAheadOfTheClockIsNow() {
        #expect(age(.seconds(101), now: .seconds(100), running: .seconds(100)) == .zero)
    }

    @Test func nothingHasPowerBeforeTheMachine() {
        #expect(age(.seconds(-9), now: .seconds(5), running: .seconds(5)) == .seconds(5))
    }

    /// udev's record of a device is found by its number, and read by the clock that made it.
    @Test func aRecordOfUdevSaysWhenTheDeviceWasSeen() throws {
        let far = try FarEnd()
        var status = stat()
        #expect(stat(far.path, &status) == 0)
        var running = timespec()
        clock_gettime(CLOCK_MONOTONIC, &running)
        let folder = try TestFolder()
        // A pseudo-terminal has a number below 256 on a major of its own.
        let name = "c\(status.st_rdev >> 8 & 0xFFF):\(status.st_rdev & 0xFF)"
        let stamp = max(1, running.tv_sec - 2)
        try LinuxFolder(folder.path).write(name, Array("I:\(stamp)000000\n".utf8))
        let since = try #require(PortPower.since(far.path, now: now, udev: folder.path))
        #expect((.seconds(1) ... .seconds(60)).contains(since.duration(to: now)))
    }

    @Test func aNodeWithoutARecordIsAsOldAsItself() throws {
        let far = try FarEnd()
        let since = try #require(PortPower.since(far.path, now: now, udev: "/nowhere"))
        #expect(since.duration(to: now) < .seconds(60))
    }

    @Test func whatIsNoDeviceSaysNothing() {
        #expect(PortPower.since("gpsd://127.0.0.1:2947", now: now) == nil)
        #expect(PortPower.since("/nowhere", now: now) == nil)
    }
}
