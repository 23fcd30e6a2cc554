/// Recognises content outside of partitions, so that a refusal can name it.
enum FileSystemSignature {
    private struct Mark {
        let offset: Int
        let bytes: [UInt8]
        let name: String

        init(_ offset: Int, _ text: String, _ name: String) {
            (self.offset, bytes, self.name) = (offset, Array(text.utf8), name)
        }

        func fits(_ disk: some Sequence<UInt8>) -> Bool {
            disk.dropFirst(offset).starts(with: bytes)
        }
    }

    /// Signatures of file systems whose first sector could pass for an MBR.
    private static let bootSectors = [
        Mark(82, "FAT32", "FAT"), Mark(54, "FAT1", "FAT"), Mark(3, "NTFS", "NTFS"),
        Mark(3, "EXFAT", "exFAT"),
    ]

    /// Offsets from the beginning of the disk.
    ///
    /// - Source: libblkid, `superblocks/`; U-Boot, `doc/board/` of Allwinner and Rockchip.
    private static let gap = [
        Mark(512, "LABELONE", "LVM"), Mark(4, "LUKS", "LUKS"), Mark(0, "XFSB", "XFS"),
        Mark(8_196, "eGON", "a boot loader for Allwinner"),
        Mark(131_076, "eGON", "a boot loader for Allwinner"),
        Mark(32_768, "RKNS", "a boot loader for Rockchip"),
        Mark(32_769, "CD001", "ISO 9660"), Mark(65_600, "_BHRfS_M", "Btrfs"),
    ]

    /// The file system whose boot sector this is; nil when it is none.
    static func wholeDisk(_ sector: [UInt8]) -> String? {
        bootSectors.first { $0.fits(sector) }?.name
    }

    /// Names the content between table and first partition, which begins at byte `start`.
    static func inGap(_ bytes: [UInt8], from start: Int) -> String? {
        func place(_ offset: Int, _ mark: [UInt8]) -> Bool {
            offset >= start && bytes.dropFirst(offset - start).starts(with: mark)
        }
        if let mark = gap.first(where: { place($0.offset, $0.bytes) }) { return mark.name }
        // Two bytes alone: only where nothing longer fits.
        if place(1_080, [0x53, 0xEF]) { return "ext4" }
        return start == 512 && bytes.prefix(512).contains { $0 != 0 } ? "a boot loader" : nil
    }
}
