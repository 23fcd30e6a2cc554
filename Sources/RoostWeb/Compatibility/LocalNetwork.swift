/// The addresses of one network, without a router to the internet in between.
enum LocalNetwork {
    /// Whether an address is this computer's, link-local or private.
    ///
    /// - Source: RFC 1918, RFC 3927, RFC 4193, RFC 4291.
    static func contains(_ peer: PeerAddress) -> Bool {
        var text = peer.text.lowercased()[...]
        if let zone = text.firstIndex(of: "%") { text = text[..<zone] }
        if text.hasPrefix("::ffff:"), text.contains(".") { text = text.dropFirst(7) }
        if text.contains(":") {
            guard text != "::1" else { return true }
            let first = text.prefix { $0 != ":" }
            guard let head = UInt16(first, radix: 16) else { return false }
            return head & 0xFFC0 == 0xFE80 || head & 0xFE00 == 0xFC00
        }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        guard parts.count == 4, let first = parts[0], let second = parts[1], parts[2] != nil,
            parts[3] != nil
        else { return false }
        switch first {
        case 10, 127: return true
        case 172: return (16...31).contains(second)
        case 192: return second == 168
        case 169: return second == 254
        default: return false
        }
    }
}
