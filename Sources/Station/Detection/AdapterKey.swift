import HardwareIO

/// Identifies an adapter whose part has no id: by its serial number, else by its socket.
///
/// Never `ttyUSBn`, which is the order in which things were plugged in.
struct AdapterKey: Hashable, Sendable, CustomStringConvertible {
    /// Bytes at most; a longer one is cut and ends in a checksum of the whole.
    static let byteLimit = 160

    /// `usb-0001`, `usb-0001-if02` or `port-platform-fd500000.pcie-pci-0000:01:00.0-usb-0:1.3:1.0`.
    let description: String

    private init(_ text: String) {
        guard text.utf8.count > Self.byteLimit else {
            description = text
            return
        }
        // FNV-1a: offset and prime of its 64-bit form.
        let sum = text.utf8.reduce(UInt64(0xCBF2_9CE4_8422_2325)) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
        let head = String(decoding: text.utf8.prefix(Self.byteLimit - 17), as: UTF8.self)
        description = head + "~" + String(sum, radix: 16)
    }

    /// Identifies an adapter by its serial number, or by its socket without one.
    init(_ device: HotplugDevice) {
        guard let serial = device.properties["ID_SERIAL_SHORT"], !serial.isEmpty else {
            self.init(socketOf: device)
            return
        }
        // Some adapters have several ports behind one serial number.
        let interface = device.properties["ID_USB_INTERFACE_NUM"] ?? "00"
        self.init("usb-\(serial)" + (interface == "00" ? "" : "-if\(interface)"))
    }

    /// Identifies an adapter by its socket, for adapters that share a serial number.
    init(socketOf device: HotplugDevice) {
        if device.sensorName != nil {
            self.init(
                device.sensorLink?.split(separator: "/").suffix(3).joined(separator: "/")
                    ?? device.sensorPath
            )
        } else if let path = device.properties["ID_PATH"], !path.isEmpty {
            self.init("port-\(path)")
        } else {
            let parts = device.devpath.split(separator: "/").prefix { !$0.hasPrefix("tty") }
            self.init("port-" + parts.joined(separator: "/"))
        }
    }
}
