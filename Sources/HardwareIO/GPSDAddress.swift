/// Address of a gpsd on this machine or in the local network: `gpsd://address[:port]`.
///
/// It takes the place of a serial port's path: gpsd hands out the NMEA sentences of its receiver.
///
/// - Source: gpsd(8), gpsd_json(5): port 2947.
package struct GPSDAddress: Hashable, Sendable {
    private static let start = "gpsd://"

    /// Four bytes, IPv4.
    package let host: [UInt8]
    /// 1…65 535.
    package let port: UInt16

    /// Reads an address in numbers or `localhost`.
    ///
    /// - Returns: The address; nil for any other text, or an address outside the local network.
    package init?(_ text: String) {
        guard Self.isMeant(by: text), text.utf8.count <= 64 else { return nil }
        let parts = text.dropFirst(Self.start.count)
            .split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts.first == "localhost" ? "127.0.0.1" : parts.first ?? ""
        guard let target = HTTPTarget("http://\(name)"), target.path == "/",
            let host = target.address, AddressGuard.admits(host, .all),
            let port = parts.count == 1 ? 2_947 : UInt16(parts[1]), port > 0
        else { return nil }
        (self.host, self.port) = (host, port)
    }

    /// Whether the text begins with `gpsd://`, so that it is not the path of a serial port.
    package static func isMeant(by text: String) -> Bool { text.hasPrefix(start) }

    /// Command that makes gpsd send NMEA sentences and its own JSON reports.
    ///
    /// The reports carry the time. gpsd makes the sentences itself for a receiver that sends binary
    /// messages.
    package static let request = Array(
        "?WATCH={\"enable\":true,\"json\":true,\"nmea\":true};\r\n".utf8
    )
}
