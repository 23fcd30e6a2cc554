/// One of the two partitions of a card that hold a root, by its number.
package enum RootSlot: Int, Hashable, Sendable, CaseIterable {
    case first = 2
    case second = 3

    package var other: RootSlot { self == .first ? .second : .first }

    /// - Parameter text: `2` or `3`; spaces and line ends around it do not matter.
    package init?(text: some StringProtocol) {
        let digits = String(text).filter { !$0.isWhitespace }
        guard let number = Int(digits), let slot = RootSlot(rawValue: number) else { return nil }
        self = slot
    }

    /// Whether a root's partition begins with an ext2, ext3 or ext4 file system.
    ///
    /// - Parameter beginning: The first 2 KiB of the partition, or more.
    /// - Source: Linux, Documentation/filesystems/ext4/super.rst.
    package static func holdsFileSystem(_ beginning: [UInt8]) -> Bool {
        beginning.dropFirst(0x438).starts(with: [0x53, 0xEF])
    }
}
