/// A service as avahi found it on the local network: a station's dashboard, a broker.
package struct NetworkService: Hashable, Sendable {
    /// Name that the owner sees, such as `Roost on attic`.
    package let name: String
    /// Host name, such as `attic.local`.
    package let host: String
    package let port: Int
    /// IPv4 addresses on the local network, sorted; empty where avahi named only IPv6 addresses.
    package internal(set) var addresses: [String]
}

/// Reads what `avahi-browse --resolve --parsable` prints: one line for each interface and protocol.
///
/// Any computer of the network can announce anything, so a line counts only with a valid name, port
/// and address, and no line is shown as it came. IPv6 addresses are not used: on a local network
/// most hold for one link only, which a URL cannot name.
///
/// - Source: avahi 0.8, `avahi-utils/avahi-browse.c` and `avahi_escape_label`.
package enum AvahiServices {
    /// Service type that Roost's dashboards are announced as.
    package static let type = "_roost._tcp"
    /// Bytes of the program's output that are read.
    package static let byteMax = 64 << 10
    private static let nameMax = 63
    private static let servicesMax = 64

    /// Parses an output into services, each once even if several interfaces saw it.
    ///
    /// - Parameters:
    ///   - bytes: The output, `byteMax` at most; a last line that was cut is left out.
    ///   - type: Type of the services; lines of others are left out.
    ///   - allowsLocal: Whether an address of this computer is one.
    /// - Returns: At most 64.
    package static func decode(
        _ bytes: [UInt8],
        of type: String = type,
        allowsLocal: Bool = false
    ) -> [NetworkService] {
        var services: [NetworkService] = []
        for line in bytes.prefix(byteMax).split(separator: 0x0A) {
            guard let service = service(line, type, allowsLocal) else { continue }
            let known = services.firstIndex {
                ($0.name, $0.host, $0.port) == (service.name, service.host, service.port)
            }
            if let known {
                services[known].addresses = Set(services[known].addresses + service.addresses)
                    .sorted()
            } else if services.count < servicesMax {
                services.append(service)
            }
        }
        return services.sorted { ($0.name, $0.host, $0.port) < ($1.name, $1.host, $1.port) }
    }

    /// Parses a line: `=;eth0;IPv4;attic;_roost._tcp;local;attic.local;192.168.1.20;80;"path=/"`.
    private static func service(
        _ line: ArraySlice<UInt8>,
        _ type: String,
        _ allowsLocal: Bool
    ) -> NetworkService? {
        let fields = line.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        guard fields.count >= 9, fields[0].elementsEqual("=".utf8),
            fields[4].elementsEqual(type.utf8), let name = label(fields[3]),
            let host = host(fields[6]), let port = number(fields[8]), (1...65_535).contains(port)
        else { return nil }
        let address = String(decoding: fields[7], as: UTF8.self)
        // An entry that avahi heard by one protocol may have an address of the other.
        let isOther = address.contains(":")
        guard isOther || LocalAddress.isOne(address, allowsLocal: allowsLocal) else { return nil }
        let addresses = isOther ? [] : [address]
        return NetworkService(name: name, host: host, port: port, addresses: addresses)
    }

    /// Parses the output of avahi-resolve: a host and an address with a tab between.
    ///
    /// - Parameters:
    ///   - allowsLocal: Whether an address of this computer is one.
    /// - Returns: By host in small letters.
    package static func addresses(_ bytes: [UInt8], allowsLocal: Bool = false) -> [String: String] {
        var found: [String: String] = [:]
        for line in bytes.prefix(byteMax).split(separator: 0x0A) {
            let fields = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
            guard fields.count == 2, let host = host(fields[0]), found.count < servicesMax else {
                continue
            }
            let address = String(decoding: fields[1], as: UTF8.self)
            guard LocalAddress.isOne(address, allowsLocal: allowsLocal) else { continue }
            found[host] = address
        }
        return found
    }

    /// Removes the escapes of a label, `\DDD` for a byte and `\.`; nil when it is malformed.
    static func label(_ escaped: ArraySlice<UInt8>) -> String? {
        var (bytes, rest) = ([UInt8](), escaped)
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            if rest.count >= 3, let code = number(rest.prefix(3)) {
                guard code <= 255 else { return nil }
                bytes.append(UInt8(code))
                rest = rest.dropFirst(3)
            } else {
                guard let next = rest.popFirst() else { return nil }
                bytes.append(next)
            }
        }
        guard (1...nameMax).contains(bytes.count) else { return nil }
        let name = PeerStation.plain(String(decoding: bytes, as: UTF8.self))
        return name.allSatisfy(\.isWhitespace) ? nil : name
    }

    /// Returns a host name in small letters, without a final dot; nil when it is malformed.
    private static func host(_ bytes: ArraySlice<UInt8>) -> String? {
        var text = String(decoding: bytes, as: UTF8.self).lowercased()
        if text.hasSuffix(".") { text.removeLast() }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let isHost = parts.allSatisfy { part in
            // A name that begins like an option of a command is refused.
            (1...63).contains(part.utf8.count) && !part.hasPrefix("-")
                && part.utf8.allSatisfy(isHostByte)
        }
        return isHost && (1...253).contains(text.utf8.count) ? text : nil
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"):
            true
        default: false
        }
    }

    /// Parses at most nine decimal digits.
    private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard (1...9).contains(bytes.count) else { return nil }
        var number = 0
        for byte in bytes {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            number = number * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return number
    }
}
