import Core

/// Identifies one store on this machine until the next reboot.
///
/// Made of what the file system knows of the store's folder, so that the store itself holds
/// nothing of it: a damaged or rebuilt store is still the same, a copy is another.
package struct StoreID: Hashable, Sendable, CustomStringConvertible {
    /// Sixteen bytes.
    package let bytes: [UInt8]

    /// The id for numbers that no other folder has.
    package init(of facts: [UInt64]) {
        var bytes: [UInt8] = []
        for start in [0xCBF2_9CE4_8422_2325, 0x6C62_272E_07BB_0142] as [UInt64] {
            // FNV-1a, 64 bits, from two different beginnings.
            var hash = start
            for fact in facts {
                for shift in stride(from: UInt64(0), to: 64, by: 8) {
                    hash = (hash ^ (fact >> shift & 0xFF)) &* 0x100_0000_01B3
                }
            }
            for shift in stride(from: UInt64(0), to: 64, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: hash >> shift))
            }
        }
        self.bytes = bytes
    }

    /// Thirty-two hexadecimal digits.
    package var description: String { Hexadecimal.text(bytes) }
}
