/// The USB sockets of a computer as a person sees them who looks at that side, with the parts of
/// the board on top.
///
/// Only computers are here whose sockets public sources name by their ports; of all others the port
/// alone is known.
///
/// - Source: Raspberry Pi, mechanical drawings: order of the sockets. Ports of a 3 B, 4 B and 5:
///   bluerobotics/BlueOS `DevicePathHelper.vue`; with it agree all four of a 3 B and the lower
///   USB 3 of a 5 in avnav's udev rules, and the lower USB 3 of a 4 B in a note of April 2020 at
///   akira-arets.blogspot.com. Ports of a 3 B+: the host programs of teensyshot and `data.c` of
///   *IBM 1620 Jr* name all four alike. Raspberry Pi documentation, *USB*: a 3 A+ and a Zero 2 W
///   have one port, wired to the chip itself.
package struct SocketFace: Hashable, Sendable {
    package enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
        case usb2, usb3, network, video, power
        /// Micro-USB for data.
        case micro
    }

    /// Sockets one above the other.
    package struct Column: Hashable, Sendable {
        package let kind: Kind
        /// `ID_PATH` of udev without the interface, the upper socket first; empty without USB.
        package let ports: [String]
    }

    /// A socket, and what is between it and the device.
    package struct Place: Hashable, Sendable {
        /// From the left, from 0.
        package let column: Int
        /// From above, from 0.
        package let row: Int
        /// Port of the hub in that socket: `3`, `3.1` behind two; nil without a hub.
        package let hubPort: String?
    }

    /// Beginning of the device tree's model.
    package let model: String
    /// From left to right.
    package let columns: [Column]

    private init(_ model: String, _ columns: [Column]) {
        (self.model, self.columns) = (model, columns)
    }

    /// The face of a computer by the model of its device tree; nil where its sockets are not known.
    package static func of(model: String?) -> SocketFace? {
        model.flatMap { model in all.first { model.hasPrefix($0.model) } }
    }

    /// The socket at a path as `HotplugDevice.usbPath` has it; nil for one of no socket.
    package func place(of path: String) -> Place? {
        for (column, sockets) in columns.enumerated() {
            for (row, port) in sockets.ports.enumerated() {
                if path == port { return Place(column: column, row: row, hubPort: nil) }
                guard path.hasPrefix(port + ".") else { continue }
                let hubPort = String(path.dropFirst(port.count + 1))
                return Place(column: column, row: row, hubPort: hubPort)
            }
        }
        return nil
    }

    package static let all: [SocketFace] = {
        let inner = "platform-3f980000.usb-usb-0:"
        let outer = "platform-fd500000.pcie-pci-0000:01:00.0-usb-0:"
        let network = Column(kind: .network, ports: [])
        func usb(_ kind: Kind, _ path: String, _ ports: String...) -> Column {
            Column(kind: kind, ports: ports.map { path + $0 })
        }
        return [
            SocketFace("Raspberry Pi 3 Model A Plus", [usb(.usb2, inner, "1")]),
            SocketFace(
                "Raspberry Pi 3 Model B Plus",
                [network, usb(.usb2, inner, "1.1.2", "1.1.3"), usb(.usb2, inner, "1.3", "1.2")]
            ),
            SocketFace(
                "Raspberry Pi 3 Model B Rev",
                [network, usb(.usb2, inner, "1.2", "1.3"), usb(.usb2, inner, "1.4", "1.5")]
            ),
            SocketFace(
                "Raspberry Pi 4 Model B",
                [usb(.usb2, outer, "1.3", "1.4"), usb(.usb3, outer, "1.1", "1.2"), network]
            ),
            SocketFace(
                "Raspberry Pi 5 Model B",
                [
                    network, usb(.usb3, "platform-xhci-hcd.", "1-usb-0:1", "0-usb-0:1"),
                    usb(.usb2, "platform-xhci-hcd.", "0-usb-0:2", "1-usb-0:2"),
                ]
            ),
            SocketFace(
                "Raspberry Pi Zero 2 W",
                [
                    Column(kind: .video, ports: []), usb(.micro, inner, "1"),
                    Column(kind: .power, ports: []),
                ]
            ),
        ]
    }()
}

extension HotplugDevice {
    /// `ID_PATH` without the interface: `platform-3f980000.usb-usb-0:1.2`; nil for a device that is
    /// not on USB, and where udev does not say.
    package var usbPath: String? {
        guard let path = properties["ID_PATH"], let end = path.lastIndex(of: ":") else {
            return nil
        }
        let parts = path.split(separator: ":")
        guard parts.count >= 3, parts[parts.count - 3].hasSuffix("-usb-0") else { return nil }
        return String(path[..<end])
    }

    /// The port by the kernel's numbers, those of hubs behind points: `1.2`; nil for a device that
    /// is not on USB.
    package var usbPort: String? {
        if let path = usbPath { return path.split(separator: ":").last.map(String.init) }
        // `…/usb1/1-1/1-1.2/1-1.2:1.0/ttyUSB0/tty/ttyUSB0`
        let ports = devpath.split(separator: "/").compactMap { part -> Substring? in
            let halves = part.split(separator: "-", omittingEmptySubsequences: false)
            guard halves.count == 2, Int(halves[0]) != nil, let port = halves.last,
                !port.isEmpty, port.allSatisfy({ $0.isNumber || $0 == "." })
            else { return nil }
            return port
        }
        return ports.last.map(String.init)
    }
}
