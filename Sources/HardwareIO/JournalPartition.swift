/// The first block of a partition that holds the journal's ring and nothing else.
///
/// The ring begins with the block behind it. `SPEC.md`, section A partition of its own.
package struct JournalPartition: Hashable, Sendable {
    /// First bytes of the partition, in ASCII, so that a udev rule can compare them as text.
    package static let magic = Array("ROOST-JOURNAL-01".utf8)
    /// First bytes of each block of a ring that was written.
    package static let blockMagic = Array("RJB1".utf8)
    /// Magic 16, block size 4, blocks of the ring 4, CRC-32 of these 24 bytes 4.
    static let byteCount = 28
    /// The link that the udev rule makes to the partition.
    package static let link = "/dev/roost/journal"
    /// A link in the store's folder to the partition that the station used last.
    package static let noteName = "journal.partition"
    /// Its name in a GPT.
    package static let name = "roost-journal"
    /// Its type by the kind of the disk's table, as blkid and udev write both.
    package static let types = ["gpt": "1045a06a-224e-461b-893a-072608b434ff", "dos": "0xda"]
    /// Sizes that it may have, 1…16 MiB in sectors of 512 bytes: a start reads all of the ring.
    package static let sectorCounts: ClosedRange<UInt64> = 2_048...32_768
    package static let byteCountMax = Int(sectorCounts.upperBound) * 512

    package let blockSize: Int
    /// Blocks of the ring, without this one.
    package let blockCount: Int

    package init(blockSize: Int, blockCount: Int) {
        (self.blockSize, self.blockCount) = (blockSize, blockCount)
    }

    /// Reads the beginning of a partition; nil when it is none of ours, or damaged.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.byteCount, bytes.starts(with: Self.magic) else { return nil }
        func number(_ offset: Int) -> UInt32 {
            (0..<4).reduce(0) { $0 | UInt32(bytes[offset + $1]) << (8 * UInt32($1)) }
        }
        let (size, count) = (Int(number(16)), Int(number(20)))
        guard number(24) == CRC32.checksum(bytes[..<24]), (512...65_536).contains(size),
            size.nonzeroBitCount == 1, (2...65_536).contains(count)
        else { return nil }
        self.init(blockSize: size, blockCount: count)
    }

    /// One block: the header, and zeros behind it.
    package var block: [UInt8] {
        var bytes = Self.magic
        func append(_ number: UInt32) {
            bytes += (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * UInt32($0))) }
        }
        append(UInt32(blockSize))
        append(UInt32(blockCount))
        append(CRC32.checksum(bytes))
        return bytes + [UInt8](repeating: 0, count: blockSize - bytes.count)
    }
}
