import HardwareIO
import Testing

@testable import LinuxIO

@Suite struct HotplugDifferenceTests {
    private let events = UdevRecording.ch340.events.compactMap { HotplugEvent(udevProperties: $0) }
    private let first: HotplugDevice
    private let again: HotplugDevice
    private let other: HotplugDevice

    init() throws {
        let ch340 = UdevRecording.ch340.events
        first = try #require(HotplugDevice(udevProperties: ch340[0]))
        again = try #require(HotplugDevice(udevProperties: ch340[2]))
        other = try #require(HotplugDevice(udevProperties: UdevRecording.cp2102.events[0]))
    }

    @Test func tellsWhatComesAndGoes() {
        var ledger = HotplugDifference()
        #expect(ledger.apply(.snapshot([])).isEmpty)
        let changes = events.map { ledger.apply($0) }
        #expect(changes == [[.appeared(first)], [.vanished(first)], [.appeared(again)]])
        #expect(ledger.devices == [again])
    }

    @Test func saysNothingTwice() {
        var ledger = HotplugDifference()
        #expect(ledger.apply(.snapshot([other, first])).count == 2)
        #expect(ledger.apply(.snapshot([first, other])).isEmpty)
        #expect(ledger.apply(.added(first)).isEmpty)
        #expect(ledger.apply(.changed(other)).isEmpty)
        #expect(ledger.apply(.removed(first)) == [.vanished(first)])
        #expect(ledger.apply(.removed(first)).isEmpty)
    }

    @Test func comparesASnapshotWithWhatWasKnown() {
        var ledger = HotplugDifference()
        _ = ledger.apply(.snapshot([first]))
        // Unplugged, and another plugged in elsewhere, while the kernel dropped events.
        #expect(ledger.apply(.snapshot([other])) == [.vanished(first), .appeared(other)])
        #expect(ledger.devices == [other])
    }

    @Test func seesAReplugThatTheEventsMissed() {
        var ledger = HotplugDifference()
        _ = ledger.apply(.snapshot([first, other]))
        #expect(ledger.apply(.snapshot([again, other])) == [.vanished(first), .appeared(again)])
    }

    @Test func seesAReplugInOneAddition() {
        var ledger = HotplugDifference()
        _ = ledger.apply(.added(first))
        #expect(ledger.apply(.added(again)) == [.vanished(first), .appeared(again)])
    }

    @Test func takesUdevsLaterWordAsAChange() {
        var ledger = HotplugDifference()
        // As enumerated before udev has looked at it.
        let bare = HotplugDevice(
            devpath: first.devpath,
            node: first.node,
            subsystem: "tty",
            properties: ["MAJOR": "188", "MINOR": "0"]
        )
        #expect(ledger.apply(.snapshot([bare])) == [.appeared(bare)])
        #expect(ledger.apply(.added(first)) == [.changed(first, from: bare)])
    }

    @Test func refusesAndCountsBeyondItsBound() {
        var ledger = HotplugDifference()
        let many = (0...HotplugDifference.capacity).map { number in
            HotplugDevice(
                devpath: "/devices/\(number)",
                node: nil,
                subsystem: "tty",
                properties: [:]
            )
        }
        #expect(ledger.apply(.snapshot(many)).count == HotplugDifference.capacity)
        #expect(ledger.devices.count == HotplugDifference.capacity && ledger.refusedCount == 1)
    }
}
