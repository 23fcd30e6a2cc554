import Fuzzing
import HardwareIO
import Testing

@testable import Store

@Suite struct PartitionPlanTests {
    private func disk(_ scheme: String, _ gapMiB: UInt64) -> MadeUpDisk {
        scheme == "gpt" ? .gpt(gapMiB: gapMiB) : .mbr(gapMiB: gapMiB)
    }

    private func make(_ disk: MadeUpDisk) throws(PartitionRefusal) -> PartitionPlan {
        try PartitionPlan.make(on: disk, id: MadeUpDisk.id)
    }

    private func refusal(_ disk: MadeUpDisk) -> PartitionRefusal? {
        do {
            _ = try make(disk)
            return nil
        } catch { return error }
    }

    @Test(arguments: ["mbr", "gpt"], [4, 8] as [UInt64])
    func thePartitionLiesInTheGapOfRaspberryPiOS(scheme: String, gapMiB: UInt64) throws {
        let disk = self.disk(scheme, gapMiB)
        let plan = try make(disk)
        #expect(plan.table.scheme.rawValue == scheme)
        #expect(plan.partition.number == 3)
        // With 8 MiB the table and the journal share no 4 MiB that a card erases at once.
        #expect(plan.partition.byteOffset == (gapMiB == 8 ? 4 : 1) << 20)
        #expect(plan.partition.byteOffset + plan.partition.byteCount == gapMiB << 20)
        #expect(plan.blockCount == (gapMiB == 8 ? 1_023 : 767))
    }

    @Test(arguments: ["mbr", "gpt"])
    func whatWasMadeIsFoundAndTheOthersStay(scheme: String) throws {
        var disk = self.disk(scheme, 8)
        let plan = try make(disk)
        disk.carryOut(plan)
        let table = try PartitionTable(disk)
        #expect(table.journal == plan.partition)
        #expect(table.entries.dropLast() == plan.table.entries[...])
        let again = try make(disk)
        #expect(again.writes.isEmpty && again.partition == plan.partition)
        let first = try disk.read(plan.partition.first, count: 8)
        #expect(JournalPartition(first)?.blockCount == plan.blockCount)
    }

    @Test(arguments: ["mbr", "gpt"])
    func undoLeavesTheDiskAsItWas(scheme: String) throws {
        let before = disk(scheme, 8)
        var disk = before
        disk.carryOut(try make(disk))
        disk.write(8_192 + 80, [UInt8](repeating: 7, count: 4_096))  // A block of the ring.
        disk.carryOut(try PartitionPlan.undo(on: disk))
        #expect(disk == before)
        #expect(throws: PartitionRefusal.notThere) { try PartitionPlan.undo(on: disk) }
    }

    @Test(arguments: ["mbr", "gpt"])
    func aCutLeavesADiskOnWhichBothWork(scheme: String) throws {
        let before = disk(scheme, 8)
        let plan = try make(before)
        for count in 0..<plan.writes.count {
            var disk = before
            for write in plan.writes.prefix(count) { disk.write(write.sector, write.bytes) }
            // After the first copy of a GPT the copies differ, and the kernel uses the first.
            guard scheme == "mbr" || count < 2 else { continue }
            disk.carryOut(try make(disk))
            let journal = try PartitionTable(disk).journal
            #expect(journal == plan.partition)
        }
        var made = before
        made.carryOut(plan)
        let undo = try PartitionPlan.undo(on: made)
        for count in 0..<undo.writes.count {
            var disk = made
            for write in undo.writes.prefix(count) { disk.write(write.sector, write.bytes) }
            if case .damaged = refusal(disk) { continue }
            if let again = try? PartitionPlan.undo(on: disk) { disk.carryOut(again) }
            disk.carryOut(try make(disk))
            #expect(disk == made)
        }
    }

    @Test func noGapIsNoPartition() {
        let close = [MadeUpDisk.Part(first: 2_048, last: 100_000)]
        #expect(refusal(.mbr(close)) == .smallGap(byteCount: 0))
        #expect(refusal(.gpt(close)) == .smallGap(byteCount: 0))
        let small = [MadeUpDisk.Part(first: 4_095, last: 100_000)]
        #expect(refusal(.mbr(small)) == .smallGap(byteCount: 2_047 * 512))
        let enough = [MadeUpDisk.Part(first: 4_096, last: 100_000)]
        #expect(refusal(.mbr(enough)) == nil)
    }

    @Test func theGapEndsBeforeThePartitionThatComesFirstNotBeforeTheFirstEntry() throws {
        let parts = [
            MadeUpDisk.Part(first: 100_000, last: 200_000),
            MadeUpDisk.Part(first: 12_288, last: 99_999),
        ]
        for disk in [MadeUpDisk.mbr(parts), .gpt(parts)] {
            let plan = try make(disk)
            #expect(plan.partition.last == 12_287)
        }
    }

    @Test func aWideGapGivesAPartitionOfSixteenMebibytes() throws {
        let plan = try make(.mbr([MadeUpDisk.Part(first: 2_097_152, last: 4_000_000)]))
        #expect(plan.partition.byteCount == 16 << 20)
    }

    @Test(arguments: [512, 8_196, 700_000, 4 << 20, (8 << 20) - 1])
    func aByteInTheGapForbidsIt(offset: UInt64) {
        var disk = MadeUpDisk.mbr()
        disk.set(1, at: offset)
        guard case .gapInUse(let found, _) = refusal(disk) else {
            Issue.record("not refused")
            return
        }
        #expect(found == offset)
    }

    @Test func whatLooksLikeABootLoaderOrAFileSystemIsNamed() {
        func kind(_ offset: UInt64, _ text: String) -> String? {
            var disk = MadeUpDisk.mbr()
            for (index, byte) in text.utf8.enumerated() {
                disk.set(byte, at: offset + UInt64(index))
            }
            if case .gapInUse(_, let kind) = refusal(disk) { return kind }
            return nil
        }
        #expect(kind(8_196, "eGON.BT0") == "a boot loader for Allwinner")
        #expect(kind(32_768, "RKNS") == "a boot loader for Rockchip")
        #expect(kind(512, "LABELONE") == "LVM")
        #expect(kind(65_600, "_BHRfS_M") == "Btrfs")
        var disk = MadeUpDisk.mbr()
        disk.set(0x53, at: 1_080)
        disk.set(0xEF, at: 1_081)
        #expect(refusal(disk) == .gapInUse(byteOffset: 1_080, kind: "ext4"))
    }

    @Test func aFileSystemWithoutATableIsRefused() {
        var disk = MadeUpDisk.mbr([])
        for (index, byte) in "FAT32   ".utf8.enumerated() { disk.set(byte, at: UInt64(82 + index)) }
        #expect(refusal(disk) == .fileSystem("FAT"))
        #expect(refusal(MadeUpDisk()) == .noTable)
        #expect(refusal(.mbr([])) == .empty)
        #expect(refusal(.gpt([])) == .empty)
    }

    @Test func aTableWithoutAFreeEntryIsRefused() {
        let four = (0..<4 as Range<UInt64>).map {
            MadeUpDisk.Part(first: 16_384 + $0 * 10_000, last: 16_384 + $0 * 10_000 + 9_999)
        }
        #expect(refusal(.mbr(four)) == .noFreeEntry(count: 4))
        #expect(refusal(.gpt(four, entryCount: 4)) == .noFreeEntry(count: 4))
        #expect(refusal(.gpt(four)) == nil)
    }

    @Test func somebodyElsesPartitionOfTheSameMBRTypeIsNotOurs() throws {
        let parts =
            [MadeUpDisk.Part(first: 2_048, last: 8_191, type: 0xDA)]
            + MadeUpDisk.raspberryParts(gapMiB: 8)
        let disk = MadeUpDisk.mbr(parts)
        let journal = try PartitionTable(disk).journal
        #expect(journal == nil)
        #expect(throws: PartitionRefusal.notThere) { try PartitionPlan.undo(on: disk) }
        #expect(refusal(disk) == .smallGap(byteCount: 0))
    }

    @Test func aReadThatFailsIsSaid() {
        var disk = MadeUpDisk.mbr()
        disk.readable = 100
        guard case .storage = refusal(disk) else {
            Issue.record("not refused")
            return
        }
    }
}
