import HardwareIO

/// The root folder of a FAT16 or FAT32 file system, read without a mount.
///
/// - Source: Microsoft, *FAT: General Overview of On-Disk Format*, version 1.03.
package struct FATVolume {
    package struct File: Hashable, Sendable {
        package let name: String
        package let byteCount: Int
        let firstCluster: UInt32
    }

    private static let sectorSize = 512
    /// Entries of the root folder that are looked at.
    private static let entryCountMax = 4_096
    private static let entrySize = 32

    private let read: (_ first: UInt64, _ count: Int) -> [UInt8]?
    private let sectorsPerCluster: Int
    private let tableStart: UInt64
    private let dataStart: UInt64
    private let clusterCount: UInt32
    private let isWide: Bool
    package let label: String
    package private(set) var files: [File] = []

    /// - Parameters:
    ///   - first: The first sector of the partition; nil when it holds no such file system.
    package init?(_ disk: some DiskSectors, first: UInt64) {
        let end = disk.sectorCount
        read = { sector, count in
            guard first + sector + UInt64(count) <= end else { return nil }
            return try? disk.read(first + sector, count: count)
        }
        guard let boot = read(0, 1), boot[510] == 0x55, boot[511] == 0xAA else { return nil }
        func number(_ offset: Int, _ count: Int) -> Int {
            boot[offset..<(offset + count)].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        let (reserved, tables) = (number(14, 2), number(16, 1))
        let rootEntries = number(17, 2)
        let tableSize = number(22, 2) > 0 ? number(22, 2) : number(36, 4)
        let total = number(19, 2) > 0 ? number(19, 2) : number(32, 4)
        sectorsPerCluster = number(13, 1)
        let rootSectors = rootEntries * Self.entrySize / Self.sectorSize
        let data = reserved + tables * tableSize + rootSectors
        guard number(11, 2) == Self.sectorSize, sectorsPerCluster.nonzeroBitCount == 1,
            reserved > 0, (1...2).contains(tables), tableSize > 0, total > data
        else { return nil }
        isWide = rootEntries == 0
        (tableStart, dataStart) = (UInt64(reserved), UInt64(data))
        clusterCount = UInt32((total - data) / sectorsPerCluster)
        label = ASCII.text(boot[(isWide ? 71 : 43)...].prefix(11))
        var folder: [UInt8]
        if isWide {
            folder = content(UInt32(number(44, 4)), limit: Self.entryCountMax * Self.entrySize)
        } else {
            folder = read(dataStart - UInt64(rootSectors), rootSectors) ?? []
        }
        folder = Array(folder.prefix(Self.entryCountMax * Self.entrySize))
        files = Self.files(folder)
    }

    /// The file of a name, in any case of letters.
    package func file(_ name: String) -> File? {
        files.first { $0.name.lowercased() == name.lowercased() }
    }

    /// The first bytes of a file; nil when there is none.
    package func bytes(_ name: String, limit: Int = PlainLines.byteCountMax + 1) -> [UInt8]? {
        guard let file = file(name) else { return nil }
        let count = min(file.byteCount, limit)
        return Array(content(file.firstCluster, limit: count).prefix(count))
    }

    /// Reads the content of a chain of clusters.
    private func content(_ first: UInt32, limit: Int) -> [UInt8] {
        var (bytes, cluster) = ([UInt8](), first)
        while bytes.count < limit, cluster >= 2, cluster < clusterCount + 2 {
            let sector = dataStart + UInt64(cluster - 2) * UInt64(sectorsPerCluster)
            guard let piece = read(sector, sectorsPerCluster) else { break }
            bytes += piece
            cluster = next(cluster)
        }
        return bytes
    }

    private func next(_ cluster: UInt32) -> UInt32 {
        let width = isWide ? 4 : 2
        let offset = Int(cluster) * width
        guard let sector = read(tableStart + UInt64(offset / Self.sectorSize), 1) else { return 0 }
        let entry = sector[(offset % Self.sectorSize)...].prefix(width)
        return entry.reversed().reduce(0) { $0 << 8 | UInt32($1) } & 0x0FFF_FFFF
    }

    private static func files(_ folder: [UInt8]) -> [File] {
        var files: [File] = []
        // Long names stand in front of their entry, the last part first.
        var long: [UInt16] = []
        for start in stride(from: 0, to: folder.count / entrySize * entrySize, by: entrySize) {
            let entry = Array(folder[start..<(start + entrySize)])
            guard entry[0] != 0 else { break }
            let isLong = entry[11] & 0x3F == 0x0F
            if entry[0] == 0xE5 {
                long = []
            } else if isLong {
                let places = [1, 3, 5, 7, 9, 14, 16, 18, 20, 22, 24, 28, 30]
                long = places.map { UInt16(entry[$0]) | UInt16(entry[$0 + 1]) << 8 } + long
            } else {
                func number(_ offset: Int, _ count: Int) -> Int {
                    entry[offset..<(offset + count)].reversed().reduce(0) { $0 << 8 | Int($1) }
                }
                let isFile = entry[11] & 0x18 == 0
                let name = long.prefix { $0 != 0 && $0 != 0xFFFF }
                if isFile {
                    files.append(
                        File(
                            name: name.isEmpty
                                ? short(entry) : String(decoding: name, as: UTF16.self),
                            byteCount: number(28, 4),
                            firstCluster: UInt32(number(20, 2) << 16 | number(26, 2))
                        )
                    )
                }
                long = []
            }
        }
        return files
    }

    private static func short(_ entry: [UInt8]) -> String {
        let (name, end) = (ASCII.text(entry[0..<8]), ASCII.text(entry[8..<11]))
        return (end.isEmpty ? name : "\(name).\(end)").lowercased()
    }

    private enum ASCII {
        /// Decodes a name without the spaces at its end; bytes that are no text become `?`.
        static func text(_ bytes: some Sequence<UInt8>) -> String {
            let shown = bytes.map { (0x20...0x7E) ~= $0 ? $0 : UInt8(ascii: "?") }
            return String(decoding: shown, as: UTF8.self).trimmedSpace
        }
    }
}
