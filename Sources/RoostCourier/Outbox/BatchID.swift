/// Makes a short text that identifies bytes: two FNV-1a hashes of 64 bits.
///
/// It distinguishes the batches of one target; it is no protection.
enum BatchID {
    static let letters = Array("abcdefghijklmnopqrstuvwxyz234567")

    /// Returns 26 letters and digits.
    static func digest(_ bytes: [UInt8]) -> String {
        let halves = [hash(bytes, 0xCBF2_9CE4_8422_2325), hash(bytes, 0x9AE1_6A3B_2F90_404F)]
        return halves.map { half in
            String(stride(from: 0, to: 65, by: 5).map { letters[Int((half >> $0) & 31)] })
        }
        .joined()
    }

    private static func hash(_ bytes: [UInt8], _ start: UInt64) -> UInt64 {
        bytes.reduce(start) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }
}
