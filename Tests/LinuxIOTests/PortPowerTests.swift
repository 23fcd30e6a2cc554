import Core
import LinuxIO
import TestSupport
import Testing

@Suite struct PortPowerTests {
    private let now = MonotonicInstant.boot.advanced(by: .days(3))

    @Test func readsTheTimeAtWhichUdevSawTheAdapter() {
        let record = "S:serial/by-path/platform-usb-0:1.2\nI:4711000000\nE:ID_BUS=usb\nV:1\n"
        #expect(PortPower.stamp(in: record) == .boot.advanced(by: .seconds(4_711)))
        #expect(PortPower.stamp(in: "E:ID_BUS=usb\n") == nil)
        #expect(PortPower.stamp(in: "I:junk\n") == nil)
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
