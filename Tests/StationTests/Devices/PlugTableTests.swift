import Configuration
import ControlProtocol
import Core
import HardwareIO
import Testing

@testable import Devices
@testable import Profiles
@testable import SimulationKit
@testable import Station

@Suite struct PlugTableTests {
    private static func adapter(_ path: String?, _ devpath: String = "/devices/x") -> HotplugDevice
    {
        var properties = ["DEVLINKS": "/dev/serial/by-path/here /dev/roost/sds011-a"]
        properties["ID_PATH"] = path
        return HotplugDevice(
            devpath: devpath,
            node: "/dev/ttyUSB0",
            subsystem: "tty",
            properties: properties
        )
    }

    private static func table(
        _ model: String?,
        _ adapters: [HotplugDevice] = [],
        used: [UsedLine] = []
    ) -> PlugTable {
        let board = model.flatMap { ProfileCatalog.shipped.board(model: $0) }
        return PlugTable(adapters: adapters, board: board, model: model, used: used)
    }

    /// `ID_PATH` as udev has it on a board, and the socket that sources name for it.
    struct Socket: Sendable {
        let model: String
        let path: String
        let place: (column: Int, row: Int)
        var hubPort: String?
    }

    private static let inner = "platform-3f980000.usb-usb-0:"
    private static let outer = "platform-fd500000.pcie-pci-0000:01:00.0-usb-0:"

    static let sockets = [
        Socket(model: "Raspberry Pi 3 Model B Rev 1.2", path: inner + "1.2:1.0", place: (1, 0)),
        Socket(
            model: "Raspberry Pi 3 Model B Plus Rev 1.3",
            path: inner + "1.2:1.0",
            place: (2, 1)
        ),
        Socket(
            model: "Raspberry Pi 3 Model B Plus Rev 1.3",
            path: inner + "1.1.2:1.0",
            place: (1, 0)
        ),
        Socket(model: "Raspberry Pi 3 Model A Plus Rev 1.0", path: inner + "1:1.0", place: (0, 0)),
        Socket(model: "Raspberry Pi 4 Model B Rev 1.5", path: outer + "1.4:1.0", place: (0, 1)),
        Socket(
            model: "Raspberry Pi 4 Model B Rev 1.5",
            path: outer + "1.1.3.2:1.0",
            place: (1, 0),
            hubPort: "3.2"
        ),
        Socket(
            model: "Raspberry Pi 5 Model B Rev 1.0",
            path: "platform-xhci-hcd.1-usb-0:2:1.0",
            place: (2, 1)
        ),
        Socket(
            model: "Raspberry Pi Zero 2 W Rev 1.0",
            path: inner + "1.4:1.0",
            place: (1, 0),
            hubPort: "4"
        ),
    ]

    @Test(arguments: sockets)
    func findsTheSocket(_ socket: Socket) throws {
        let report = Self.table(socket.model, [Self.adapter(socket.path)]).report(of: [])
        let plug = try #require(report.items.first)
        #expect(plug.column == socket.place.column && plug.row == socket.place.row)
        #expect(plug.hubPort == socket.hubPort)
        #expect(try #require(report.sockets)[socket.place.column].count > socket.place.row)
        #expect(plug.device == nil && plug.node == "/dev/ttyUSB0")
    }

    @Test func noTwoSocketsShareAPort() {
        for face in SocketFace.all {
            let ports = face.columns.flatMap(\.ports)
            #expect(!ports.isEmpty && Set(ports).count == ports.count, "\(face.model)")
        }
    }

    /// The port alone is said of a computer whose sockets are not known: none is guessed.
    @Test(arguments: [nil, "Raspberry Pi 400 Rev 1.0", "Raspberry Pi Compute Module 5 Rev 1.0"])
    func saysThePortAlone(model: String?) throws {
        let path = "pci-0000:00:14.0-usb-0:1.2:1.0"
        let report = Self.table(model, [Self.adapter(path)]).report(of: [])
        #expect(report.sockets == nil)
        let plug = try #require(report.items.first)
        #expect(plug.usbPort == "1.2" && plug.column == nil && plug.hubPort == nil)
    }

    @Test func aPortOfNoSocketIsNone() throws {
        let path = "platform-3f980000.usb-usb-0:1.7:1.0"
        let report = Self.table("Raspberry Pi 3 Model B Rev 1.2", [Self.adapter(path)]).report(
            of: [])
        #expect(report.sockets?.count == 3)
        #expect(report.items.first?.usbPort == "1.7" && report.items.first?.column == nil)
    }

    @Test func withoutUdevThePortIsThatOfTheKernel() {
        let place = "/devices/platform/soc/3f980000.usb/usb1/1-1/1-1.1/1-1.1.3/1-1.1.3:1.0/ttyUSB0"
        let adapter = Self.adapter(nil, place + "/tty/ttyUSB0")
        #expect(adapter.usbPort == "1.1.3" && adapter.usbPath == nil)
        #expect(Self.adapter(nil, "/devices/platform/serial8250/tty/ttyS0").usbPort == nil)
        #expect(Self.adapter("platform-fe201000.serial").usbPort == nil)
    }

    @Test(arguments: ["/dev/ttyUSB0", "/dev/roost/sds011-a", "/dev/serial/by-path/here"])
    func namesTheDeviceByNodeOrLink(location: String) {
        let adapter = Self.adapter("pci-0000:00:14.0-usb-0:3:1.0")
        let items = Self.table(nil, [adapter]).report(of: [("dust", location), ("gas", "/dev/x")])
            .items
        #expect(items.map(\.device) == ["dust"])
    }

    @Test func aDeviceOnTheHeaderHasItsPins() {
        let used = ["GPIO9", "GPIO10", "GPIO11"].map {
            UsedLine(device: "lights", chip: nil, line: .name($0))
        }
        let table = Self.table("Raspberry Pi 4 Model B Rev 1.1", used: used)
        let items = table.report(of: [
            ("lights", "GPIO9, GPIO10, GPIO11"), ("gps", "/dev/serial0"),
            ("board", "http://10.0.0.9"),
        ]).items
        #expect(items.map(\.device) == ["lights", "gps"])
        #expect(items.map(\.pins) == [[21, 19, 23], [8, 10]])
    }

    /// There `serial0` is a connector for debugging.
    @Test func theHeaderOfAPi5HasAnotherPort() {
        let items = Self.table("Raspberry Pi 5 Model B Rev 1.0").report(of: [
            ("gps", "/dev/serial0"), ("meter", "/dev/ttyAMA0"),
        ]).items
        #expect(items.map(\.device) == ["meter"])
    }

    @Test func theStationSaysWhereAFoundDeviceIs() throws {
        let report = try simulate { clock in
            let bench = try DetectionBench(clock)
            let sensor = SimulatedAdapter.sds011("sds", id: 0xA160, on: clock)
            return try await bench.run { bench in
                bench.usb.plug(sensor, into: 3)
                try await bench.sleep(.seconds(10))
                return try await bench.ask(GetDevices()).body
            }
        }
        let plug = try #require(report?.plugs?.items.first)
        #expect(plug.device == "sds011" && plug.usbPort == "1.3" && plug.node == "/dev/ttyUSB0")
        #expect(report?.plugs?.sockets == nil)
    }

    /// The bus 1 is on the pins 3 and 5, whatever else the path of a part looks like.
    @Test func aPartOnTheFirstBusIsOnItsPins() throws {
        let report = try simulate { clock in
            let bench = try DetectionBench(clock)
            let part = try SimulatedAdapter.part(of: "bosch-bme280", on: clock)
            let other = try SimulatedAdapter.part(of: "bosch-bmp280", on: clock)
            return try await bench.run { bench in
                bench.usb.show(part, named: "bme280", at: "soc/i2c-1/1-0076", slot: 70)
                bench.usb.show(other, named: "bmp280", at: "soc/i2c-11/11-0077", slot: 71)
                try await bench.sleep(.seconds(10))
                return try await bench.ask(GetDevices()).body
            }
        }
        let items = report?.plugs?.items ?? []
        #expect(items.map(\.device) == ["bme280"])
        #expect(items.map(\.pins) == [[3, 5]] && items.allSatisfy { $0.usbPort == nil })
    }
}
