/// CRC-32C (Castagnoli): reflected polynomial 0x82F6 3B78, initial and final value all ones.
///
/// Finds every error of up to five bits in a block of up to 4 KiB, and every burst up to 32 bits.
///
/// - Source: RFC 3720, *iSCSI*, section 12.1 and appendix B.4, whose vectors the tests check.
struct CRC32C: Sendable {
    private var remainder: UInt32 = .max

    init() {}

    /// The check of `bytes` alone.
    static func of(_ bytes: some Sequence<UInt8>) -> UInt32 {
        var check = CRC32C()
        check.append(bytes)
        return check.value
    }

    mutating func append(_ bytes: some Sequence<UInt8>) {
        let isDone: Void? = bytes.withContiguousStorageIfAvailable { remainder = sliced($0) }
        guard isDone == nil else { return }
        for byte in bytes { remainder = Self.step(remainder, byte) }
    }

    var value: UInt32 { ~remainder }

    /// Eight bytes a step: 8 KiB of tables, eight look-ups that do not wait for one another.
    private func sliced(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt32 {
        Self.tables.withUnsafeBufferPointer { tables in
            let raw = UnsafeRawBufferPointer(bytes)
            var remainder = remainder
            var index = 0
            while index + 8 <= raw.count {
                let next = UInt64(
                    littleEndian: raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                )
                let word = next ^ UInt64(remainder)
                let low =
                    tables[1_792 + Int(word & 0xFF)] ^ tables[1_536 + Int(word >> 8 & 0xFF)]
                    ^ tables[1_280 + Int(word >> 16 & 0xFF)]
                    ^ tables[1_024 + Int(word >> 24 & 0xFF)]
                let high =
                    tables[768 + Int(word >> 32 & 0xFF)] ^ tables[512 + Int(word >> 40 & 0xFF)]
                    ^ tables[256 + Int(word >> 48 & 0xFF)] ^ tables[Int(word >> 56)]
                remainder = low ^ high
                index += 8
            }
            while index < raw.count {
                remainder = Self.step(remainder, raw[index])
                index += 1
            }
            return remainder
        }
    }

    private static func step(_ remainder: UInt32, _ byte: UInt8) -> UInt32 {
        tables[Int((remainder ^ UInt32(byte)) & 0xFF)] ^ remainder >> 8
    }

    /// Eight tables of 256: of a byte, and of a byte with one to seven zeros behind it.
    private static let tables: [UInt32] = {
        var tables = (0..<256).map { byte -> UInt32 in
            (0..<8).reduce(UInt32(byte)) { value, _ in
                value & 1 == 1 ? value >> 1 ^ 0x82F6_3B78 : value >> 1
            }
        }
        for index in 256..<2_048 {
            let before = tables[index - 256]
            tables.append(tables[Int(before & 0xFF)] ^ before >> 8)
        }
        return tables
    }()
}
