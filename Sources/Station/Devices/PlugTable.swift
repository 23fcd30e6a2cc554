import Configuration
import ControlProtocol
import HardwareIO
import Profiles

/// Where adapters and devices are plugged in: decided from udev's words, the board and the
/// configuration.
struct PlugTable {
    let adapters: [HotplugDevice]
    let board: Profile?
    /// Model of the computer from its device tree.
    let model: String?
    let used: [UsedLine]

    /// - Parameter places: Names of devices in use, and where each is: a node or a link to it.
    func report(of places: [(device: String, location: String)]) -> PlugsReport {
        let face = SocketFace.of(model: model)
        let onUSB = adapters.compactMap { adapter -> PlugReport? in
            let user = places.first { adapter.isAt($0.location) }
            var plug = PlugReport(device: user?.device)
            if adapter.sensorName != nil {
                guard adapter.sensorPath.contains("/i2c-1/") else { return nil }
                (plug.node, plug.pins) = (adapter.node, Self.busPins)
                return plug
            }
            guard let port = adapter.usbPort else { return nil }
            (plug.node, plug.usbPort) = (adapter.node, port)
            let place = adapter.usbPath.flatMap { face?.place(of: $0) }
            (plug.column, plug.row, plug.hubPort) = (place?.column, place?.row, place?.hubPort)
            return plug
        }
        return PlugsReport(
            sockets: face?.columns.map(SocketColumnReport.init),
            items: onUSB + places.compactMap(onHeader)
        )
    }

    /// A device on the header; nil for one elsewhere.
    private func onHeader(_ place: (device: String, location: String)) -> PlugReport? {
        var plug = PlugReport(device: place.device)
        if isHeaderPort(place.location) {
            (plug.node, plug.pins) = (place.location, Self.serialPins)
            return plug
        }
        let pins = used.filter { $0.device == place.device }.compactMap(\.pin?.number)
        guard !pins.isEmpty else { return nil }
        plug.pins = pins
        return plug
    }

    /// SDA and SCL of the header, which all boards give to the bus 1.
    ///
    /// - Source: Raspberry Pi, *Raspberry Pi hardware: GPIO and the 40-pin header*.
    private static let busPins = [3, 5]

    /// TX and RX of the header.
    ///
    /// - Source: Raspberry Pi, *Raspberry Pi hardware: GPIO and the 40-pin header*.
    private static let serialPins = [8, 10]

    /// Whether a port is the header's: on boards with an RP1 `serial0` is a separate connector.
    ///
    /// - Source: Raspberry Pi, *Configuring UARTs*.
    private func isHeaderPort(_ path: String) -> Bool {
        guard let board = board?.board, board.uarts.contains(path) else { return false }
        return board.gpioChip != "pinctrl-rp1" || path == "/dev/ttyAMA0"
    }
}

extension HotplugDevice {
    /// The node and all links to it.
    var paths: [String] {
        let links = properties["DEVLINKS"]?.split(separator: " ").map(String.init) ?? []
        let sensor = sensorName == nil ? [] : ["/sys/\(sensorPath)", sensorLink].compactMap(\.self)
        return [node ?? ""] + links + sensor
    }

    fileprivate func isAt(_ location: String) -> Bool { paths.contains(location) }
}
