import Fuzzing
import HardwareIO
import Testing

@testable import Store

@Suite struct PartitionTableTests {
    private func refusal(_ disk: MadeUpDisk) -> PartitionRefusal? {
        do {
            _ = try PartitionTable(disk)
            return nil
        } catch { return error }
    }

    private func isDamaged(_ disk: MadeUpDisk) -> Bool {
        if case .damaged = refusal(disk) { true } else { false }
    }

    @Test func aCRCIsTheOneThatEveryToolWrites() {
        #expect(CRC32.checksum(Array("123456789".utf8)) == 0xCBF4_3926)
    }

    @Test func ourTypeIsTheOneInTheRule() {
        let type = GUID(bytes: GUIDPartitionTable.journalType)
        #expect(type?.description == "1045a06a-224e-461b-893a-072608b434ff")
    }

    @Test func aByteOfTheHeadersOrEntriesOfAGPTSpoilsIt() {
        let end = MadeUpDisk().sectorCount
        let places: [UInt64] = [
            512, 512 + 16, 512 + 40, 512 + 91, 1_024, 1_024 + 127, 1_024 + 16_383,
            (end - 1) * 512, (end - 1) * 512 + 60, (end - 33) * 512, (end - 2) * 512 + 5,
        ]
        for place in places {
            var disk = MadeUpDisk.gpt()
            disk.set(0x5A, at: place)
            #expect(isDamaged(disk), "byte \(place)")
        }
    }

    @Test func aHybridIsRefused() {
        var disk = MadeUpDisk.gpt()
        disk.set(0x0C, at: 446 + 16 + 4)
        #expect(refusal(disk) == .hybrid)
    }

    @Test func partitionsThatOverlapOrLeaveTheDiskAreDamage() {
        let overlapping = [
            MadeUpDisk.Part(first: 16_384, last: 20_000), .init(first: 20_000, last: 30_000),
        ]
        let outside = [MadeUpDisk.Part(first: 16_384, last: MadeUpDisk().sectorCount)]
        let inTheTable = [MadeUpDisk.Part(first: 16, last: 100)]
        #expect(isDamaged(.mbr(overlapping)) && isDamaged(.gpt(overlapping)))
        #expect(isDamaged(.mbr(outside)) && isDamaged(.gpt(outside)))
        #expect(isDamaged(.gpt(inTheTable)))
    }

    @Test func anEntryThatBeginsOddlyIsDamage() {
        var disk = MadeUpDisk.mbr()
        disk.set(0x42, at: 446)
        #expect(isDamaged(disk))
    }

    @Test func theMarkOfAPartitionIsReadAsWritten() {
        let header = JournalPartition(blockSize: 4_096, blockCount: 767)
        #expect(header.block.count == 4_096)
        #expect(JournalPartition(header.block) == header)
        for place in 0..<28 {
            var spoilt = header.block
            spoilt[place] ^= 1
            #expect(JournalPartition(spoilt) == nil)
        }
    }
}
