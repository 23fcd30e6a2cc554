/// A GUID as a GPT holds it: its first three groups are little-endian.
package struct GUID: Hashable, Sendable, CustomStringConvertible {
    /// 16, in the order on the disk.
    let bytes: [UInt8]

    /// 16 bytes as they lie on the disk; others give nil.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// A random one from 16 random bytes: version 4, as RFC 9562 has it.
    package init?(random bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        var bytes = bytes
        bytes[7] = bytes[7] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        self.bytes = bytes
    }

    /// `cafe…-…`, in small letters.
    package var description: String {
        let order = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15]
        return order.enumerated().map { place, index in
            let digits = String(bytes[index], radix: 16)
            let dash = [4, 6, 8, 10].contains(place) ? "-" : ""
            return dash + (digits.count < 2 ? "0" : "") + digits
        }.joined()
    }
}
