import Glibc
import HardwareIO
import TestSupport
import Testing

@testable import LinuxIO

@Suite struct AdapterFileTests {
    private static func text(_ node: String, _ more: String = "") -> String {
        """
        P: /devices/usb1/1-1/\(node)
        N: \(node)
        E: DEVPATH=/devices/usb1/1-1/\(node)
        E: DEVNAME=/dev/\(node)
        E: SUBSYSTEM=tty
        E: ID_VENDOR_ID=1a86
        E: ID_MODEL=a=b
        \(more)

        """
    }

    private static func write(_ text: String, to path: String) {
        let raw = open("\(path).new", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        _ = Array(text.utf8).withUnsafeBytes { Glibc.write(raw, $0.baseAddress, $0.count) }
        close(raw)
        rename("\(path).new", path)
    }

    @Test func readsWhatUdevadmPrints() {
        let devices = AdapterFile.devices(in: Self.text("ttyUSB0") + "\n" + Self.text("ttyUSB1"))
        #expect(devices.map(\.node) == ["/dev/ttyUSB0", "/dev/ttyUSB1"])
        #expect(devices.first?.subsystem == "tty")
        #expect(devices.first?.properties["ID_VENDOR_ID"] == "1a86")
        #expect(devices.first?.properties["ID_MODEL"] == "a=b")
    }

    @Test(arguments: ["", "\n\n", "E: DEVNAME=/dev/ttyUSB0\n", "E: DEVPATH\nE: SUBSYSTEM\n", "E:"])
    func whatNamesNoDeviceIsNone(text: String) {
        #expect(AdapterFile.devices(in: text).isEmpty)
    }

    @Test func aChangedFileIsANewSnapshot() throws {
        let folder = try TestFolder()
        let path = folder.path("adapters")
        let loop = try EventLoop()
        let seen = try loop.run {
            let monitor = try AdapterFile(path, on: loop)
            defer { monitor.close() }
            var seen = try await monitor.next()
            for text in [Self.text("ttyUSB0"), Self.text("ttyUSB0", "E: ID_PATH=x"), ""] {
                Self.write(text, to: path)
                seen += try await monitor.next()
            }
            return seen
        }
        let counts = seen.map { event in
            if case .snapshot(let devices) = event { devices.count } else { -1 }
        }
        #expect(counts == [0, 1, 1, 0])
    }

    @Test func aFolderThatIsNotThereIsSaid() throws {
        let loop = try EventLoop()
        #expect(throws: HotplugError.self) {
            try AdapterFile("/nonexistent/folder/adapters", on: loop)
        }
    }
}
