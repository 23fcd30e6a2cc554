/// Which addresses a target may be at.
///
/// A name server or a setting must not send the courier to programs of this computer, which may
/// trust whatever comes from it, nor to the address where clouds hand out secrets.
///
/// - Source: RFC 1122, section 3.2.1.3; RFC 3927; RFC 4291, section 2.5.
enum AddressRule {
    /// Judges an address.
    ///
    /// - Parameters:
    ///   - address: 4 bytes of IPv4 or 16 of IPv6, in network order.
    ///   - allowsLocal: Whether this computer and the metadata address are allowed.
    /// - Returns: Why the address is refused; nil when it is not.
    static func refusal(_ address: [UInt8], allowsLocal: Bool) -> String? {
        guard !allowsLocal else { return nil }
        switch address.count {
        case 4: return refusalOfIPv4(address)
        case 16:
            let isMapped = address.prefix(10).allSatisfy { $0 == 0 }
            if isMapped, address[10] == 0xff, address[11] == 0xff {
                return refusalOfIPv4(Array(address.suffix(4)))
            }
            if address.dropLast().allSatisfy({ $0 == 0 }), address[15] <= 1 {
                return "is this computer"
            }
            return address == metadata ? "is where clouds keep secrets" : nil
        default: return "is no address"
        }
    }

    /// fd00:ec2::254, as Amazon's machines have it.
    private static let metadata: [UInt8] =
        [0xfd, 0, 0x0e, 0xc2] + [UInt8](repeating: 0, count: 10) + [0x02, 0x54]

    private static func refusalOfIPv4(_ address: [UInt8]) -> String? {
        if address[0] == 127 || address[0] == 0 { return "is this computer" }
        return address == [169, 254, 169, 254] ? "is where clouds keep secrets" : nil
    }

    /// The bytes as a person writes them, and as libcurl takes them.
    static func text(_ address: [UInt8]) -> String {
        guard address.count == 16 else { return address.map(String.init).joined(separator: ".") }
        let groups = stride(from: 0, to: 16, by: 2).map {
            String(Int(address[$0]) << 8 | Int(address[$0 + 1]), radix: 16)
        }
        return "[\(groups.joined(separator: ":"))]"
    }
}
