import HardwareIO

/// A card of a few megabytes as scripts/image lays it out, with a FAT32 boot partition.
package struct MadeUpCard: DiskSectors {
    private static let clusterStart = 64

    package var bytes = [UInt8](repeating: 0, count: 10_240 * 512)
    private var nextCluster = 3
    private var folder: [UInt8] = []

    package var sectorCount: UInt64 { UInt64(bytes.count / 512) }

    package func read(_ first: UInt64, count: Int) throws(StorageError) -> [UInt8] {
        let (start, end) = (Int(first) * 512, (Int(first) + count) * 512)
        guard end <= bytes.count else { throw .failed(call: "pread", errno: 5, path: "card") }
        return Array(bytes[start..<end])
    }

    package mutating func put(_ content: [UInt8], at offset: Int) {
        bytes.replaceSubrange(offset..<(offset + content.count), with: content)
    }

    package init() {
        put([0x00, 0x7E, 0x05, 0x0A], at: 440)
        putTable(0, [(1, 0x0C, 64, 4_032), (2, 0x83, 4_096, 1_024), (3, 0x83, 5_120, 1_024)])
        putEntry(0, 3, 0x0F, 6_144, 4_096)
        putEntry(6_144, 0, 0xDA, 1_024, 16)
        putEntry(6_144, 1, 0x0F, 1_536, 2_560)
        putEntry(7_680, 0, 0x83, 512, 2_048)
        for sector in [0, 6_144, 7_680] { put([0x55, 0xAA], at: sector * 512 + 510) }
        putBoot()
        put(Self.superblock(blocks: 128), at: 4_096 * 512)
        put(JournalPartition(blockSize: 4_096, blockCount: 2).block, at: 7_168 * 512)
        put(Self.superblock(blocks: 256), at: 8_192 * 512)
    }

    private mutating func putTable(_ sector: Int, _ entries: [(Int, UInt8, Int, Int)]) {
        for (number, type, first, count) in entries {
            putEntry(sector, number - 1, type, first, count)
        }
    }

    private mutating func putEntry(
        _ sector: Int,
        _ index: Int,
        _ type: UInt8,
        _ first: Int,
        _ count: Int
    ) {
        let place = sector * 512 + 446 + index * 16
        put([0, 0, 0, 0, type, 0, 0, 0] + Self.number(first, 4) + Self.number(count, 4), at: place)
    }

    private static func number(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    private mutating func putBoot() {
        let start = 64 * 512
        put(Self.number(512, 2) + [1] + Self.number(32, 2) + [1], at: start + 11)
        put(Self.number(4_032, 4) + Self.number(32, 4), at: start + 32)
        put(Self.number(2, 4), at: start + 44)
        put(Array("ROOST      ".utf8), at: start + 71)
        put([0x55, 0xAA], at: start + 510)
        chain([2])
        for name in [
            "bootcode.bin", "start.elf", "start4.elf", "config.txt", "u-boot.bin", "boot.scr",
            "words.txt",
        ] { putFile(name, "content") }
        putFile("slot.txt", "slot=2\n")
        putFile("tried.txt", "tried=0\n")
    }

    private mutating func chain(_ clusters: [Int]) {
        for (index, cluster) in clusters.enumerated() {
            let next = index + 1 < clusters.count ? clusters[index + 1] : 0x0FFF_FFFF
            put(Self.number(next, 4), at: (64 + 32) * 512 + cluster * 4)
        }
    }

    private func offset(of cluster: Int) -> Int { (64 + Self.clusterStart + cluster - 2) * 512 }

    /// Adds a file with a long name; its clusters are not side by side.
    package mutating func putFile(_ name: String, _ text: String) {
        putFile(name, Array(text.utf8))
    }

    package mutating func putFile(_ name: String, _ content: [UInt8]) {
        let count = max(1, (content.count + 511) / 512)
        let clusters = (0..<count).map { nextCluster + 2 * $0 }
        nextCluster += 2 * count
        chain(clusters)
        for (index, cluster) in clusters.enumerated() {
            let piece = content.dropFirst(index * 512).prefix(512)
            put(Array(piece), at: offset(of: cluster))
        }
        let letters = Array(name.utf16) + [0]
        let padded = letters + [UInt16](repeating: 0xFFFF, count: (13 - letters.count % 13) % 13)
        let parts = stride(from: 0, to: padded.count, by: 13).map { Array(padded[$0..<($0 + 13)]) }
        for (index, part) in parts.enumerated().reversed() {
            var entry = [UInt8](repeating: 0, count: 32)
            entry[0] = UInt8(index + 1) | (index == parts.count - 1 ? 0x40 : 0)
            entry[11] = 0x0F
            let places = [1, 3, 5, 7, 9, 14, 16, 18, 20, 22, 24, 28, 30]
            for (place, unit) in zip(places, part) {
                (entry[place], entry[place + 1]) = (UInt8(unit & 0xFF), UInt8(unit >> 8))
            }
            folder += entry
        }
        var entry = Array("FILE~1  TXT".utf8) + [UInt8](repeating: 0, count: 21)
        entry.replaceSubrange(20..<22, with: Self.number(clusters[0] >> 16, 2))
        entry.replaceSubrange(26..<28, with: Self.number(clusters[0], 2))
        entry.replaceSubrange(28..<32, with: Self.number(content.count, 4))
        folder += entry
        putFolder()
    }

    /// The root folder goes on in clusters of its own.
    private mutating func putFolder() {
        let count = max(1, (folder.count + 511) / 512)
        let clusters = [2] + (1..<max(count, 2)).map { 2_000 + $0 }.prefix(count - 1)
        chain(clusters)
        for (index, cluster) in clusters.enumerated() {
            let piece = Array(folder.dropFirst(index * 512).prefix(512))
            put(piece + [UInt8](repeating: 0, count: 512 - piece.count), at: offset(of: cluster))
        }
    }

    /// The beginning of a partition with an ext4 file system: the fields that are read.
    package static func superblock(
        state: UInt8 = 1,
        incompatible: UInt8 = 0x42,
        blocks: UInt16 = 4_096
    ) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        func put(_ offset: Int, _ values: [UInt8]) {
            bytes.replaceSubrange((1_024 + offset)..<(1_024 + offset + values.count), with: values)
        }
        put(0x4, [UInt8(blocks & 0xFF), UInt8(blocks >> 8), 0, 0])
        put(0x18, [2, 0, 0, 0])
        put(0x38, [0x53, 0xEF])
        put(0x3A, [state, 0])
        put(0x60, [incompatible, 0, 0, 0])
        put(0x78, Array("roost-root".utf8))
        return bytes
    }
}
