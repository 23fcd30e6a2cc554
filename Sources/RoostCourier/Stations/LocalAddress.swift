/// Rule for IPv4 addresses at which a station of the local network may be.
///
/// - Source: RFC 1918; RFC 3927.
enum LocalAddress {
    /// Whether the text is an address of a local network.
    ///
    /// - Parameters:
    ///   - allowsLocal: Whether an address of this computer counts.
    /// - Returns: False for addresses of the internet, and for whatever is none.
    static func isOne(_ text: String, allowsLocal: Bool) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { UInt8($0) }
        // No leading zeros: some programs read those as octal numbers.
        guard numbers.count == 4, numbers.map(String.init) == parts.map(String.init) else {
            return false
        }
        return switch (numbers[0], numbers[1]) {
        case (10, _), (172, 16...31), (192, 168): true
        // Clouds keep secrets at this address.
        case (169, 254): numbers != [169, 254, 169, 254]
        case (127, _): allowsLocal
        default: false
        }
    }
}
