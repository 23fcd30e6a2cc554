/// The server of map pictures that the owner chose, by the address of its tiles.
package struct TileServer: Hashable, Sendable {
    /// URL of a tile, as `https://tile.openstreetmap.org/{z}/{x}/{y}.png`.
    package let template: String
    /// Origin for the content policy, as `https://tile.openstreetmap.org`.
    package let origin: String
    /// Host for people, as `tile.openstreetmap.org`.
    package let host: String

    /// Bytes of an address at most.
    package static let lengthMax = 500

    /// Reads an address.
    ///
    /// - Parameter template: Has `{z}`, `{x}` and `{y}` once each, behind the host.
    /// - Throws: `TileServerError` with what is wrong.
    package init(_ template: String) throws(TileServerError) {
        guard template.utf8.count <= Self.lengthMax, template.utf8.allSatisfy(Self.isPlain) else {
            throw TileServerError(words: "has letters that an address of tiles has not")
        }
        let scheme = ["https://", "http://"].first { template.hasPrefix($0) }
        guard let scheme else { throw TileServerError(words: "does not begin with https://") }
        let rest = template.dropFirst(scheme.utf8.count)
        let place = rest.prefix { $0 != "/" }
        guard !place.isEmpty, place.utf8.allSatisfy(Self.isHost) else {
            throw TileServerError(words: "names no host")
        }
        let path = rest.dropFirst(place.count)
        for part in ["{z}", "{x}", "{y}"] where path.ranges(of: part).count != 1 {
            throw TileServerError(words: "has no \(part), or more than one")
        }
        guard path.count(where: { $0 == "{" || $0 == "}" }) == 6 else {
            throw TileServerError(words: "knows {z}, {x} and {y} alone")
        }
        self.template = template
        (origin, host) = (scheme + place, String(place))
    }

    /// Attribution of the pictures, where it is known.
    ///
    /// - Source: OpenStreetMap, *Copyright and License*; its tile usage policy asks for this text.
    package var credit: (words: String, url: String)? {
        guard host == "openstreetmap.org" || host.hasSuffix(".openstreetmap.org") else {
            return nil
        }
        return ("© OpenStreetMap contributors", "https://www.openstreetmap.org/copyright")
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        isHost(byte) || "/_~?=&%@{}+".utf8.contains(byte)
    }

    private static func isHost(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-.:".utf8.contains(byte)
        }
    }
}

package struct TileServerError: Error, Hashable, CustomStringConvertible {
    package let words: String

    package var description: String { words }
}
