import Core

/// Address of an HTTP device: `http://name-or-address[:port][/path]`.
///
/// Plain HTTP, since small HTTP devices support nothing else; no user, no fragment.
package struct HTTPTarget: Hashable, Sendable, CustomStringConvertible {
    /// Bytes of the longest address.
    package static let byteLimit = 512

    /// A name, an IPv4 address, or an IPv6 address without its brackets.
    package let host: String
    /// 1…65 535.
    package let port: UInt16
    /// Path with its query, beginning with a slash.
    package let path: String
    /// Hosts allowed besides devices of the local network.
    package var reach: AddressGuard.Reach = .all

    /// Reads an address; nil for anything else than the form above.
    package init?(_ text: String) {
        let start = "http://"
        guard text.utf8.count <= Self.byteLimit, text.lowercased().hasPrefix(start),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        let rest = text.dropFirst(start.count)
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let path = rest.dropFirst(authority.count)
        guard !authority.contains("@"), !path.contains("#") else { return nil }
        guard let (host, port) = Self.split(authority), let number = UInt16(port), number > 0 else {
            return nil
        }
        self.host = host
        self.port = number
        self.path = path.hasPrefix("/") ? String(path) : "/" + path
    }

    package var description: String { "http://\(authority)\(path)" }

    /// Value of the `Host` header.
    package var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == 80 ? name : "\(name):\(port)"
    }

    /// The address when the host is an IPv4 address in numbers; nil for a name.
    package var address: [UInt8]? {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        let bytes = parts.compactMap { UInt8($0) }
        return parts.count == 4 && bytes.count == 4 ? bytes : nil
    }

    private static func split(_ authority: Substring) -> (host: String, port: String)? {
        if authority.first == "[" {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            let host = authority[authority.index(after: authority.startIndex)..<end]
            let rest = authority[authority.index(after: end)...]
            guard !host.isEmpty, host.allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." }),
                rest.isEmpty || rest.hasPrefix(":")
            else { return nil }
            return (String(host), rest.isEmpty ? "80" : String(rest.dropFirst()))
        }
        let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 2, let host = parts.first, !host.isEmpty,
            host.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "-" || $0 == "." || $0 == "_" })
        else { return nil }
        return (String(host), parts.count == 2 ? String(parts[1]) : "80")
    }
}

/// Refuses addresses outside the station's own network.
///
/// A profile or a name server must not be able to send the station elsewhere.
///
/// - Source: RFC 1918, RFC 3927, RFC 4193, RFC 4291, RFC 6598.
package enum AddressGuard {
    /// Local addresses that are of no device on the network.
    package struct Reach: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The computer itself: what listens there trusts who asks.
        package static let loopback = Reach(rawValue: 1)
        /// Addresses without a network, where clouds keep secrets.
        static let linkLocal = Reach(rawValue: 2)
        package static let all: Reach = [.loopback, .linkLocal]
        /// Names in a configuration.
        package static let names = ["loopback": loopback, "linkLocal": linkLocal]
    }

    /// Whether an address, 4 bytes of IPv4 or 16 of IPv6 in network order, is a local one.
    ///
    /// - Parameters:
    ///   - reach: Which of the addresses that are of no device are admitted too.
    /// - Returns: Whether it may be asked.
    package static func admits(_ address: [UInt8], _ reach: Reach = .all) -> Bool {
        switch address.count {
        case 4:
            switch (address[0], address[1]) {
            case (10, _), (192, 168): true
            case (127, _): reach.contains(.loopback)
            case (169, 254): reach.contains(.linkLocal)
            case (172, let second): (16...31).contains(second)
            case (100, let second): (64...127).contains(second)
            default: false
            }
        case 16:
            if address.prefix(10).allSatisfy({ $0 == 0 }), address[10] == 0xFF, address[11] == 0xFF
            {
                admits(Array(address.suffix(4)), reach)
            } else if address.dropLast().allSatisfy({ $0 == 0 }) {
                address[15] == 1 && reach.contains(.loopback)
            } else if address[0] == 0xFE && address[1] & 0xC0 == 0x80 {
                reach.contains(.linkLocal)
            } else {
                address[0] & 0xFE == 0xFC
            }
        default: false
        }
    }
}

/// Answer of a device.
package struct HTTPResponse: Hashable, Sendable {
    package let status: Int
    package let body: [UInt8]

    package init(status: Int, body: [UInt8]) {
        self.status = status
        self.body = body
    }
}

/// Why there is no answer, with the address.
package enum HTTPError: Error, Hashable, Sendable {
    case badAddress(String)
    /// The name is not known, or the name server cannot be reached.
    case unknownHost(HTTPTarget)
    /// The name server has not answered in time.
    case nameServerSilent(HTTPTarget)
    /// Outside the local network; see `AddressGuard`.
    case notLocal(HTTPTarget)
    case refused(HTTPTarget)
    case timedOut(HTTPTarget)
    /// Not HTTP, too long, or cut short.
    case malformed(HTTPTarget, String)
    case system(call: String, errno: Int32, HTTPTarget)
}

extension HTTPError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .badAddress(let text):
            "\(text) is not an address of the form http://name:port/path"
        case .unknownHost(let target):
            "\(target): no address for \(target.host); give its number, or check the network"
        case .nameServerSilent(let target):
            "\(target): the name server does not answer for \(target.host); give its number, "
                + "or check the network"
        case .notLocal(let target):
            "\(target): \(target.host) is not on the local network"
                + (target.reach == .all ? "" : ", or is this computer")
                + ", and no other is asked"
        case .refused(let target): "\(target): it refuses; is the device on, and the port right?"
        case .timedOut(let target): "\(target): no answer in time; is the device on?"
        case .malformed(let target, let message): "\(target): not an answer: \(message)"
        case .system(let call, let code, let target): "\(target): \(call) failed, errno \(code)"
        }
    }
}

/// Asks devices over HTTP.
package protocol HTTPFetcher: Sendable {
    /// One GET, on a connection of its own; follows no redirection.
    ///
    /// It ends at its deadline, or at once when it is cancelled, also when the device, its network
    /// or the name server hangs.
    ///
    /// - Throws: `HTTPError`; `CancellationError`.
    func get(_ target: HTTPTarget, until deadline: MonotonicInstant) async throws -> HTTPResponse
}
