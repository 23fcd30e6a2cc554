import Core
import HardwareIO
import Store

/// Spoilt partition tables: a plan must not crash, nor write to what the table names.
package final class TableFuzz: FuzzWorkload {
    package let name = "partition table"
    package private(set) var takenCount = 0
    private let disks = [MadeUpDisk.mbr(gapMiB: 2), .gpt(gapMiB: 2)]

    package init() {}

    package func fault(seed: UInt64) -> String? {
        var random = SplitMix64(seed: seed)
        var disk = disks[Int.random(in: 0..<2, using: &random)]
        spoil(&disk, &random)
        return fault(on: disk)
    }

    /// Flips bytes of the tables; half of the time with checks that are right again.
    private func spoil(_ disk: inout MadeUpDisk, _ random: inout SplitMix64) {
        let end = disk.sectorCount * 512
        let isMended = Bool.random(using: &random)
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let places: [UInt64] = [
                .random(in: 446..<512, using: &random), .random(in: 512..<604, using: &random),
                .random(in: 1_024..<1_536, using: &random),
                .random(in: end - 512..<end - 420, using: &random),
                .random(in: 0..<3 << 20, using: &random),
            ]
            let place = places[Int.random(in: 0..<places.count, using: &random)]
            let edges: [UInt8] = [0, 1, 0x7F, 0x80, 0xFF, .random(in: 0...255, using: &random)]
            disk.set(edges[Int.random(in: 0..<edges.count, using: &random)], at: place)
        }
        if isMended { mend(&disk) }
    }

    /// Makes all checksums right, as a tool that writes nonsense would.
    private func mend(_ disk: inout MadeUpDisk) {
        guard let entries = try? disk.read(2, count: 32) else { return }
        disk.write(disk.sectorCount - 33, entries)
        for place in [1, disk.sectorCount - 1] {
            guard var header = try? disk.read(place, count: 1), header[0] == 0x45 else { continue }
            let used = Int(min(TableBytes.number(header, 80, 4) * 128, UInt64(entries.count)))
            let sum = CRC32.checksum(entries.prefix(used))
            TableBytes.set(&header, 88, 4, to: UInt64(sum))
            TableBytes.set(&header, 16, 4, to: 0)
            let size = Int(min(TableBytes.number(header, 12, 4), 512))
            TableBytes.set(&header, 16, 4, to: UInt64(CRC32.checksum(header.prefix(size))))
            disk.write(place, header)
        }
    }

    /// Plans; a plan is carried out, undone, and compared.
    private func fault(on before: MadeUpDisk) -> String? {
        guard let plan = try? PartitionPlan.make(on: before, id: MadeUpDisk.id),
            !plan.writes.isEmpty
        else { return nil }
        takenCount += 1
        var disk = before
        let mine = plan.partition.first...plan.partition.last
        for other in plan.table.entries {
            let taken = other.first...other.last
            if mine.overlaps(taken) { return "the partition lies on number \(other.number)" }
            for write in plan.writes {
                let written = write.sector...write.sector + write.sectorCount - 1
                if written.overlaps(taken) {
                    return "\(write.purpose) is written into number \(other.number)"
                }
            }
        }
        disk.carryOut(plan)
        guard let table = try? PartitionTable(disk) else { return "what was made cannot be read" }
        guard table.journal == plan.partition else { return "the partition is not found again" }
        guard table.entries.filter({ $0 != plan.partition }) == plan.table.entries else {
            return "another entry is not as it was"
        }
        if let undo = try? PartitionPlan.undo(on: disk) { disk.carryOut(undo) }
        return disk == before ? nil : "it is not undone to the byte"
    }
}
