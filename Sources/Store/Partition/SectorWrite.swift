/// Sectors to be written in one piece.
package struct SectorWrite: Hashable, Sendable {
    package static let sectorSize = 512

    package let sector: UInt64
    /// A multiple of 512.
    package let bytes: [UInt8]
    /// Name of the write for people: `the table's copy at the end of the disk`.
    package let purpose: String

    init(_ sector: UInt64, _ bytes: [UInt8], _ purpose: String) {
        (self.sector, self.bytes, self.purpose) = (sector, bytes, purpose)
    }

    package var sectorCount: UInt64 { UInt64(bytes.count / Self.sectorSize) }
}

/// Little-endian numbers at places of a table.
package enum TableBytes {
    package static func number(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> UInt64 {
        (0..<count).reduce(0) { $0 | UInt64(bytes[offset + $1]) << (8 * UInt64($1)) }
    }

    package static func set(_ bytes: inout [UInt8], _ offset: Int, _ count: Int, to number: UInt64)
    {
        for index in 0..<count {
            bytes[offset + index] = UInt8(truncatingIfNeeded: number >> (8 * UInt64(index)))
        }
    }
}
