/// Facts from the superblock of an ext2, ext3 or ext4 file system.
///
/// - Source: Linux, Documentation/filesystems/ext4/super.rst.
package struct ExtSuperblock: Hashable, Sendable {
    /// Where it is in the partition.
    package static let offset = 1_024
    package static let byteCount = 1_024
    private static let magic = 0xEF53

    package let blockCount: Int
    /// Bytes.
    package let blockSize: Int
    /// Whether it was unmounted in order, or was never written.
    package let isClean: Bool
    /// Whether errors were found in it.
    package let hasErrors: Bool
    /// Whether its journal has writes that were not taken over; a mount does that.
    package let needsRecovery: Bool
    package let label: String

    /// - Parameter partition: The first 2048 bytes of it, or more; nil for what is no such file
    ///   system.
    package init?(_ partition: [UInt8]) {
        guard partition.count >= Self.offset + Self.byteCount else { return nil }
        let block = partition[Self.offset..<(Self.offset + Self.byteCount)]
        func number(_ offset: Int, _ count: Int) -> Int {
            block.dropFirst(offset).prefix(count).reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        let shift = number(0x18, 4)
        guard number(0x38, 2) == Self.magic, shift <= 6 else { return nil }
        blockCount = number(0x4, 4)
        blockSize = 1_024 << shift
        let state = number(0x3A, 2)
        (isClean, hasErrors) = (state & 1 == 1, state & 2 == 2)
        needsRecovery = number(0x60, 4) & 4 == 4
        let name = block.dropFirst(0x78).prefix(16).prefix { $0 != 0 }
        label = String(decoding: name, as: UTF8.self)
    }

    package var byteCount: Int { blockCount * blockSize }
}
