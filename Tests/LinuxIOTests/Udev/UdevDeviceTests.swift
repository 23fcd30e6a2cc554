import HardwareIO
import Testing

@testable import LinuxIO

@Suite struct UdevDeviceTests {
    @Test func readsACH340AsUdevTellsIt() throws {
        let events = UdevRecording.ch340.events.map { HotplugEvent(udevProperties: $0) }
        guard case .added(let device) = try #require(events[0]) else {
            Issue.record("the first event is not an addition")
            return
        }
        #expect(device.devpath.hasSuffix("/1-1.3/1-1.3:1.0/ttyUSB0/tty/ttyUSB0"))
        #expect(device.node == "/dev/ttyUSB0" && device.subsystem == "tty")
        #expect(device.properties["ID_VENDOR_ID"] == "1a86")
        #expect(device.properties["ID_SERIAL_SHORT"] == nil)
        #expect(
            device.properties["ID_PATH"] == "platform-fd500000.pcie-pci-0000:01:00.0-usb-0:1.3:1.0"
        )
        #expect(events[1] == .removed(device))
    }

    @Test func takesOtherActionsAsChanges() throws {
        let events = UdevRecording.cp2102.events.compactMap { HotplugEvent(udevProperties: $0) }
        let kinds = events.map { event in
            switch event {
            case .added: "added"
            case .changed: "changed"
            case .removed: "removed"
            case .snapshot: "snapshot"
            }
        }
        #expect(kinds == ["added", "changed", "changed", "removed"])
    }

    @Test func leavesOutWhatTellsOfTheEvent() throws {
        let device = try #require(HotplugDevice(udevProperties: UdevRecording.ch340.events[0]))
        #expect(device.properties["ACTION"] == nil && device.properties["SEQNUM"] == nil)
        #expect(device.properties["USEC_INITIALIZED"] == "1021535877")
    }

    @Test func namesTheNodeOfTheKernelsOwnEvents() throws {
        let properties = [
            "ACTION": "add", "DEVPATH": "/devices/pci/usb1/1-1/ttyACM0", "SUBSYSTEM": "tty",
            "DEVNAME": "ttyACM0", "SEQNUM": "7",
        ]
        let device = try #require(HotplugDevice(udevProperties: properties))
        #expect(device.node == "/dev/ttyACM0")
    }

    @Test(arguments: ["DEVPATH", "SUBSYSTEM"])
    func ignoresEventsThatNameNoDevice(missing: String) {
        var properties = UdevRecording.ch340.events[0]
        properties[missing] = nil
        #expect(HotplugEvent(udevProperties: properties) == nil)
    }
}
