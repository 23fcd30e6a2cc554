import Glibc

/// The names and addresses that the station's own certificates are for.
struct CertificateNames: Hashable {
    /// Names at most.
    static let nameMax = 16

    /// Names in lower case, sorted; never empty.
    let names: [String]

    /// Takes what is a valid host name, each also with `.local` when it has no dot.
    init(_ wanted: [String]) {
        let lower = wanted.map { $0.lowercased() }.filter(Self.isName)
        let all = Set(lower + lower.filter { !$0.contains(".") }.map { $0 + ".local" })
            .subtracting(["localhost", "localhost.local"])
        names = all.isEmpty ? ["roost.local"] : Array(all.sorted().prefix(Self.nameMax))
    }

    /// Name constraints of the authority: these names and addresses of private networks.
    ///
    /// - Source: RFC 5280, section 4.2.1.10; RFC 1918; RFC 3927; RFC 4193.
    var constraints: String {
        let ranges = [
            "10.0.0.0/255.0.0.0", "172.16.0.0/255.240.0.0", "192.168.0.0/255.255.0.0",
            "169.254.0.0/255.255.0.0", "fc00::/fe00::",
        ]
        let permitted =
            names.map { "permitted;DNS:" + $0 } + ranges.map { "permitted;IP:" + $0 }
        return (["critical"] + permitted).joined(separator: ",")
    }

    /// Subject alternative names of a server's certificate.
    func alternatives(_ addresses: [String]) -> String {
        (names.map { "DNS:" + $0 } + addresses.map { "IP:" + $0 }).joined(separator: ",")
    }

    /// The names in name constraints as OpenSSL prints them.
    static func permitted(in text: String) -> Set<String> {
        Set(
            text.split(whereSeparator: \.isNewline).compactMap { line in
                let words = line.drop { $0 == " " }
                return words.hasPrefix("DNS:") ? String(words.dropFirst(4)) : nil
            }
        )
    }

    /// Whether the station's authority may sign for an address; as text, without a zone.
    static func isPrivate(_ address: String) -> Bool {
        var (four, six) = (in_addr(), in6_addr())
        if inet_pton(AF_INET, address, &four) == 1 {
            let bits = UInt32(bigEndian: four.s_addr)
            return bits >> 24 == 10 || bits >> 20 == 0xAC1 || bits >> 16 == 0xC0A8
                || bits >> 16 == 0xA9FE
        }
        guard inet_pton(AF_INET6, address, &six) == 1 else { return false }
        return withUnsafeBytes(of: &six) { $0[0] & 0xFE == 0xFC }
    }

    /// Labels of letters, digits and hyphens.
    private static func isName(_ text: String) -> Bool {
        guard (1...253).contains(text.utf8.count) else { return false }
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        let isNumber = labels.allSatisfy { UInt8($0) != nil }
        return !isNumber
            && labels.allSatisfy { label in
                (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                    && label.utf8.allSatisfy(isLetter)
            }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
    }
}
