import HardwareIO
import Testing

@testable import Profiles

@Suite struct UdevRuleTests {
    @Test func theFilesOfTheRepositoryAreThoseThatAreMade() throws {
        let files = UdevRule.files(ProfileCatalog().profiles)
        #expect(files.map(\.name) == (try Repository.names("udev-rules", suffix: ".rules")))
        for file in files {
            let found = String(
                decoding: try Repository.bytes("udev-rules/\(file.name)"),
                as: UTF8.self
            )
            #expect(found == file.text, "run roost profiles rules --write udev-rules")
        }
    }

    @Test func everyLineIsWellFormedAndRunsNothing() throws {
        for file in UdevRule.files(ProfileCatalog().profiles) {
            let lines = try UdevLine.parse(file.text)
            let labels = lines.flatMap { $0.filter { $0.key == "LABEL" } }.map(\.value)
            let jumps = lines.flatMap { $0.filter { $0.key == "GOTO" } }.map(\.value)
            #expect(Set(labels).count == labels.count)
            #expect(Set(jumps).isSubset(of: labels))
            #expect(lines.joined().allSatisfy { !["RUN", "PROGRAM", "IMPORT"].contains($0.key) })
        }
    }

    /// Plays a file for a device, as udevd would: properties, links and group that come of it.
    private static func played(_ name: String, _ start: UdevMachine) throws -> UdevMachine {
        let files = UdevRule.files(ProfileCatalog().profiles)
        let file = try #require(files.first { $0.name == name })
        var machine = start
        machine.play(try UdevLine.parse(file.text))
        return machine
    }

    private static let adapter = [
        "ID_VENDOR_ID": "1a86", "ID_MODEL_ID": "7523", "ID_PATH": "platform-usb-0:1.3:1.0",
        ".ID_PORT": "0",
    ]

    @Test func anAdapterGetsGroupLinkAndTag() throws {
        let start = UdevMachine(
            keys: ["SUBSYSTEM": "tty", "KERNEL": "ttyUSB3", "ACTION": "add"],
            properties: Self.adapter
        )
        let end = try Self.played("70-nova-sds011.rules", start)
        #expect(end.assigned["GROUP"] == ["dialout"])
        #expect(end.assigned["MODE"] == ["0660"])
        #expect(end.assigned["SYMLINK"] == ["roost/port-platform-usb-0:1.3:1.0"])
        #expect(end.assigned["TAG"] == ["systemd"])
        #expect(end.properties["ID_MM_PORT_IGNORE"] == "1")
    }

    @Test func theSecondPortOfAnAdapterHasItsOwnLink() throws {
        var start = UdevMachine(
            keys: ["SUBSYSTEM": "tty", "KERNEL": "ttyUSB3", "ACTION": "add"],
            properties: Self.adapter
        )
        start.properties[".ID_PORT"] = "1"
        let end = try Self.played("70-nova-sds011.rules", start)
        #expect(end.assigned["SYMLINK"] == ["roost/port-platform-usb-0:1.3:1.0-port1"])
    }

    @Test func othersAreLeftAlone() throws {
        let tty = ["SUBSYSTEM": "tty", "KERNEL": "ttyUSB3", "ACTION": "add"]
        let stranger = ["ID_VENDOR_ID": "2341", "ID_MODEL_ID": "0043", "ID_PATH": "x"]
        let starts = [
            UdevMachine(keys: tty, properties: stranger),
            UdevMachine(keys: tty.merging(["ACTION": "remove"]) { $1 }, properties: Self.adapter),
            UdevMachine(keys: tty.merging(["KERNEL": "tty1"]) { $1 }, properties: Self.adapter),
            UdevMachine(keys: ["SUBSYSTEM": "net", "ACTION": "add"], properties: Self.adapter),
        ]
        for start in starts {
            #expect(try Self.played("70-nova-sds011.rules", start).assigned.isEmpty)
        }
    }

    @Test func theAdapterItselfIsKeptFromModemManagerAndBrltty() throws {
        var usb = UdevMachine(
            keys: [
                "SUBSYSTEM": "usb", "ACTION": "add", "ATTR{idVendor}": "1a86",
                "ATTR{idProduct}": "7523",
            ],
            properties: ["DEVTYPE": "usb_device"]
        )
        let marked = try Self.played("70-nova-sds011.rules", usb)
        #expect(marked.properties["ID_MM_DEVICE_IGNORE"] == "1")
        #expect(marked.assigned.isEmpty)
        let other = try Self.played(UdevRule.braillePath, usb)
        #expect(other.properties == usb.properties)
        usb.properties["BRLTTY_BRAILLE_DRIVER"] = "bm"
        usb.properties["SYSTEMD_WANTS"] = "brltty-device@.service"
        let freed = try Self.played(UdevRule.braillePath, usb)
        #expect(freed.properties["BRLTTY_BRAILLE_DRIVER"] == "")
        #expect(freed.properties["SYSTEMD_WANTS"] == "")
    }
}
