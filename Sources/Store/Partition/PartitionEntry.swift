/// One partition of a table.
package struct PartitionEntry: Hashable, Sendable {
    /// Number of the partition from 1, as in the name of its device.
    package let number: Int
    package let first: UInt64
    package let sectorCount: UInt64
    /// Whether its type is the one that the journal's partition has.
    let isOfOurType: Bool

    package var last: UInt64 { first + sectorCount - 1 }

    package var byteCount: UInt64 { sectorCount * UInt64(SectorWrite.sectorSize) }
    package var byteOffset: UInt64 { first * UInt64(SectorWrite.sectorSize) }

    /// Returns the first fault of a list of partitions; nil without any.
    static func fault(_ entries: [PartitionEntry], within sectors: Range<UInt64>) -> String? {
        let sorted = entries.sorted { ($0.first, $0.number) < ($1.first, $1.number) }
        for entry in sorted {
            guard sectors.contains(entry.first),
                entry.sectorCount <= sectors.upperBound - entry.first
            else { return "partition \(entry.number) lies outside the disk" }
        }
        for (entry, next) in zip(sorted, sorted.dropFirst()) where next.first <= entry.last {
            return "partitions \(entry.number) and \(next.number) overlap"
        }
        return nil
    }
}
