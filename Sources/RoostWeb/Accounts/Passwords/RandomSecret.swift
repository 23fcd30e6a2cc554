import COpenSSL
import Core

/// Texts that cannot be guessed, from the kernel's random numbers.
enum RandomSecret {
    /// Crockford's alphabet: no I, L, O and U, which are read as 1, 1, 0 and V.
    private static let letters = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

    /// Returns random bytes; on Linux `SystemRandomNumberGenerator` uses getrandom(2).
    static func bytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// 256 bits in 43 characters.
    static func long() -> String { Base64.url(bytes(32)) }

    /// Groups of four letters, 20 bits each: `K7QF-M2PX` for two.
    static func spoken(groups: Int) -> String {
        let drawn = bytes(groups * 4).map { letters[Int($0 & 31)] }
        return stride(from: 0, to: drawn.count, by: 4)
            .map { String(drawn[$0..<$0 + 4]) }.joined(separator: "-")
    }

    /// Normalizes a typed code: upper case, spaces and hyphens removed, look-alikes replaced.
    ///
    /// - Returns: The letters in groups of four; any other text stays different from all codes.
    static func heard(_ typed: String) -> String {
        let alike: [Character: Character] = ["I": "1", "L": "1", "O": "0", "U": "V"]
        let drawn = typed.prefix(256).filter { $0 != "-" && $0 != " " }.prefix(64)
            .uppercased().map { alike[$0] ?? $0 }
        return stride(from: 0, to: drawn.count, by: 4)
            .map { String(drawn[$0..<min($0 + 4, drawn.count)]) }.joined(separator: "-")
    }

    /// Compares in a time that does not depend on where they differ.
    static func isSame(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.count == right.count && copenssl_is_same(left, right, left.count)
    }
}
