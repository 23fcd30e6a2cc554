import HardwareIO

/// Where adapters and devices are plugged into the computer.
package struct PlugsReport: Codable, Hashable, Sendable {
    /// The side with the USB sockets, from left to right, with the parts of the board on top; nil
    /// for a computer whose sockets are not known by their ports.
    package let sockets: [SocketColumnReport]?
    /// One for each adapter that is plugged in, and for each device on the header.
    package let items: [PlugReport]

    package init(sockets: [SocketColumnReport]?, items: [PlugReport]) {
        (self.sockets, self.items) = (sockets, items)
    }
}

/// Sockets one above the other.
package struct SocketColumnReport: Codable, Hashable, Sendable {
    package let kind: SocketFace.Kind
    /// How many, 1 or 2.
    package let count: Int

    package init(_ column: SocketFace.Column) {
        (kind, count) = (column.kind, max(1, column.ports.count))
    }
}

/// Where one adapter or device is plugged in.
package struct PlugReport: Codable, Hashable, Sendable {
    /// The device's name, or `lights`; nil for an adapter that no device uses.
    package var device: String?
    /// The adapter's node; nil for a device on the header.
    package var node: String?
    /// Port of the USB by the kernel's numbers, those of hubs behind points: `1.2`.
    package var usbPort: String?
    /// Its socket: index in `sockets`, from 0; nil where that is not known.
    package var column: Int?
    /// Its socket from above, from 0.
    package var row: Int?
    /// Port of the hub in that socket: `3`, `3.1` behind two; nil without a hub.
    package var hubPort: String?
    /// Pins of the header, 1…40.
    package var pins: [Int]?

    package init(device: String?) { self.device = device }
}
