/// Rule for the network addresses that a target may have.
///
/// A name server or a setting must not direct the courier to programs of this computer, which may
/// trust every local request, nor to the address where clouds give out secrets.
///
/// - Source: RFC 1122, section 3.2.1.3; RFC 3927; RFC 4291, section 2.5;
///   RFC 1918; RFC 4193; RFC 6598; RFC 6890.
enum AddressRule {
    /// Range of allowed addresses.
    enum Reach: Hashable, Sendable {
        /// All addresses, also this computer and the metadata address.
        case everywhere
        /// Addresses of the local network and the internet.
        case networks
        /// Only the internet, for addresses that strangers gave.
        case internet
    }

    /// Returns why an address is refused; nil when it is allowed.
    ///
    /// - Parameters:
    ///   - address: 4 bytes of IPv4 or 16 of IPv6, in network order.
    /// - Returns: Why the address is refused; nil when it is not.
    static func refusal(_ address: [UInt8], reach: Reach) -> String? {
        guard reach != .everywhere else { return nil }
        let isInternet = reach == .internet
        switch address.count {
        case 4: return refusalOfIPv4(address) ?? (isInternet ? refusalOfPrivate(address) : nil)
        case 16:
            let isMapped = address.prefix(10).allSatisfy { $0 == 0 }
            if isMapped, address[10] == 0xff, address[11] == 0xff {
                return refusal(Array(address.suffix(4)), reach: reach)
            }
            if address.dropLast().allSatisfy({ $0 == 0 }), address[15] <= 1 {
                return "is this computer"
            }
            if address == metadata { return "is where clouds keep secrets" }
            // The internet is 2000::/3; NAT64 puts any IPv4 address behind 64:ff9b::/96.
            guard isInternet, address[0] & 0xe0 != 0x20 else { return nil }
            return "is no address of the internet"
        default: return "is no address"
        }
    }

    /// Metadata address fd00:ec2::254 of Amazon's machines.
    private static let metadata: [UInt8] =
        [0xfd, 0, 0x0e, 0xc2] + [UInt8](repeating: 0, count: 10) + [0x02, 0x54]

    /// Returns why an IPv4 address of this computer or a private network is refused; nil elsewhere.
    private static func refusalOfPrivate(_ address: [UInt8]) -> String? {
        let isPrivate =
            switch (address[0], address[1]) {
            case (10, _), (192, 168), (169, 254), (172, 16...31), (100, 64...127), (198, 18...19):
                true
            case (192, 0): address[2] == 0
            case (224..., _): true
            default: false
            }
        return isPrivate ? "is no address of the internet" : nil
    }

    private static func refusalOfIPv4(_ address: [UInt8]) -> String? {
        if address[0] == 127 || address[0] == 0 { return "is this computer" }
        return address == [169, 254, 169, 254] ? "is where clouds keep secrets" : nil
    }

    /// Returns an address as people write it and as libcurl reads it.
    static func text(_ address: [UInt8]) -> String {
        guard address.count == 16 else { return address.map(String.init).joined(separator: ".") }
        let groups = stride(from: 0, to: 16, by: 2).map {
            String(Int(address[$0]) << 8 | Int(address[$0 + 1]), radix: 16)
        }
        return "[\(groups.joined(separator: ":"))]"
    }
}
