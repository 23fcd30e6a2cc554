import Core
import HardwareIO
import Store

/// A disk of which only the sectors that are not zero take memory.
package struct MadeUpDisk: DiskSectors, Hashable, Sendable {
    package var sectorCount: UInt64 = 31_116_288  // 16 GB.
    package private(set) var sectors: [UInt64: [UInt8]] = [:]
    /// Reads behind this fail.
    package var readable: UInt64 = .max

    package init() {}

    package func read(_ first: UInt64, count: Int) throws(StorageError) -> [UInt8] {
        precondition(first + UInt64(count) <= sectorCount, "behind the end of the disk")
        guard first + UInt64(count) <= readable else {
            throw .failed(call: "pread", errno: 5, path: "/dev/sdx")
        }
        var bytes = [UInt8](repeating: 0, count: count * 512)
        for (sector, content) in sectors where sector >= first {
            guard sector < first + UInt64(count) else { continue }
            let start = Int(sector - first) * 512
            bytes.replaceSubrange(start..<start + 512, with: content)
        }
        return bytes
    }

    package mutating func write(_ first: UInt64, _ bytes: [UInt8]) {
        precondition(bytes.count % 512 == 0 && first + UInt64(bytes.count / 512) <= sectorCount)
        for index in 0..<bytes.count / 512 {
            let sector = Array(bytes[index * 512..<(index + 1) * 512])
            sectors[first + UInt64(index)] = sector.allSatisfy { $0 == 0 } ? nil : sector
        }
    }

    package mutating func carryOut(_ plan: PartitionPlan) {
        for write in plan.writes { self.write(write.sector, write.bytes) }
    }

    package mutating func set(_ byte: UInt8, at offset: UInt64) {
        var sector = sectors[offset / 512] ?? [UInt8](repeating: 0, count: 512)
        sector[Int(offset % 512)] = byte
        write(offset / 512, sector)
    }

    package struct Part {
        package let first: UInt64
        package let last: UInt64
        package let type: UInt8

        package init(first: UInt64, last: UInt64, type: UInt8 = 0x83) {
            (self.first, self.last, self.type) = (first, last, type)
        }
    }

    /// Returns partitions as Raspberry Pi OS makes them: FAT behind the gap, then ext4 to the end.
    package static func raspberryParts(gapMiB: UInt64) -> [Part] {
        let boot = gapMiB * 2_048
        return [
            Part(first: boot, last: boot + 1_048_575, type: 0x0C),
            Part(first: boot + 1_048_576, last: 31_116_200),
        ]
    }

    package static func mbr(gapMiB: UInt64 = 8) -> MadeUpDisk {
        mbr(raspberryParts(gapMiB: gapMiB))
    }

    package static func mbr(_ parts: [Part]) -> MadeUpDisk {
        var disk = MadeUpDisk()
        disk.write(0, bootSector(parts))
        return disk
    }

    private static func bootSector(_ parts: [Part]) -> [UInt8] {
        var sector = [UInt8](repeating: 0, count: 512)
        sector.replaceSubrange(440..<444, with: [0x6A, 0x5B, 0x4C, 0x3D])
        for (index, part) in parts.enumerated() {
            let entry = 446 + index * 16
            sector[entry + 4] = part.type
            TableBytes.set(&sector, entry + 8, 4, to: part.first)
            TableBytes.set(&sector, entry + 12, 4, to: part.last - part.first + 1)
        }
        sector.replaceSubrange(510..<512, with: [0x55, 0xAA])
        return sector
    }

    package static func gpt(gapMiB: UInt64 = 8) -> MadeUpDisk {
        gpt(raspberryParts(gapMiB: gapMiB))
    }

    package static func gpt(_ parts: [Part], entryCount: Int = 128) -> MadeUpDisk {
        var disk = MadeUpDisk()
        let end = disk.sectorCount
        disk.write(0, bootSector([Part(first: 1, last: end - 1, type: 0xEE)]))
        var entries = [UInt8](repeating: 0, count: entryCount * 128)
        for (index, part) in parts.enumerated() {
            let entry = index * 128
            entries.replaceSubrange(entry..<entry + 32, with: repeatElement(part.type, count: 32))
            TableBytes.set(&entries, entry + 32, 8, to: part.first)
            TableBytes.set(&entries, entry + 40, 8, to: part.last)
        }
        let length = UInt64(entries.count / 512)
        let usable = (first: 2 + length, last: end - 2 - length)
        disk.write(2, entries)
        disk.write(end - 1 - length, entries)
        for (place, other, entriesPlace) in [(1, end - 1, 2), (end - 1, 1, end - 1 - length)] {
            var header = Array("EFI PART".utf8) + [0, 0, 1, 0, 92, 0, 0, 0]
            header += [UInt8](repeating: 0, count: 512 - header.count)
            let fields: [(Int, Int, UInt64)] = [
                (24, 8, place), (32, 8, other), (40, 8, usable.first), (48, 8, usable.last),
                (56, 8, 0x1234_5678_9ABC), (72, 8, entriesPlace), (80, 4, UInt64(entryCount)),
                (84, 4, 128), (88, 4, UInt64(CRC32.checksum(entries))),
            ]
            for (offset, count, value) in fields {
                TableBytes.set(&header, offset, count, to: value)
            }
            TableBytes.set(&header, 16, 4, to: UInt64(CRC32.checksum(header.prefix(92))))
            disk.write(place, header)
        }
        return disk
    }

    package static let id = GUID(random: [UInt8](1...16)) ?? { fatalError("16 bytes") }()
}
