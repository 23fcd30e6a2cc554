import Core
import HardwareIO
import Testing

@testable import SimulationKit
@testable import Store

private let boot = BootID(bytes: Array(1...16))

private func payload(_ number: Int) -> [UInt8] { Array("payload \(number)".utf8) }

@Suite struct JournalTests {
    @Test(arguments: [512, 1_024, 4_096, 65_536])
    func servesAfterRestartWhatItAcknowledged(blockSize: Int) throws {
        let storage = SimulatedBlockStorage(blockSize: blockSize, blockCount: 4)
        let journal = try Journal(storage, reusableUpTo: 0)
        let full = [UInt8](repeating: 7, count: journal.payloadCapacity)
        #expect(try journal.append(payload(1), boot: boot) == 1)
        #expect(try journal.append(full, boot: boot) == 2)
        #expect(try journal.append([], boot: boot) == 3)

        let reopened = try Journal(storage.afterPowerCut(.nothing), reusableUpTo: 0)
        #expect(reopened.blocks == [1, 2, 3])
        let (blocks, damage) = reopened.replay(after: 0)
        #expect(blocks.map(\.payload) == [payload(1), full, []])
        #expect(blocks.allSatisfy { $0.boot == boot })
        #expect(damage.isEmpty && reopened.unfinished == nil)
        #expect(journal.payloadCapacity >= blockSize - 45)
    }

    @Test func costsOneWriteAndOneSyncABlock() throws {
        let storage = SimulatedBlockStorage(blockCount: 8)
        let journal = try Journal(storage, reusableUpTo: 0)
        let syncs = storage.syncCount
        for number in 1...5 { _ = try journal.append(payload(number), boot: boot) }
        #expect(storage.writeCount == 5 && storage.byteCount == 5 * 512)
        #expect(storage.syncCount - syncs == 5)
    }

    @Test func servesNoOtherBlockThanTheOneAskedFor() throws {
        let (storage, other) = (
            SimulatedBlockStorage(blockCount: 4), SimulatedBlockStorage(blockCount: 4)
        )
        let (journal, later) = (
            try Journal(storage, reusableUpTo: 0), try Journal(other, reusableUpTo: 0)
        )
        for number in 1...3 { _ = try journal.append(payload(number), boot: boot) }
        for number in 1...6 {
            later.release(through: UInt64(number))
            _ = try later.append(payload(number), boot: boot)
        }
        // A card that puts a write in the wrong place: 2 and 6 share a slot.
        try storage.write(2, try other.read(2))
        let damage = JournalDamage(slot: 2, sequence: 2, cause: .misplaced(6))
        #expect(throws: StoreError.lostBlock(damage)) { try journal.read(2) }
        #expect(journal.replay(after: 0).blocks.map(\.sequence) == [1, 3])
    }

    @Test(arguments: [(468, 512), (469, 1_024), (980, 1_024), (981, 1_536), (4_052, 4_096)])
    func writesNoSectorThatHoldsNothing(payload: Int, written: Int) throws {
        // 44 bytes of header.
        let storage = SimulatedBlockStorage(blockCount: 8)
        let journal = try Journal(storage, reusableUpTo: 0)
        _ = try journal.append([UInt8](repeating: 7, count: payload), boot: boot)
        #expect(storage.byteCount == written)
    }

    @Test func neverOverwritesWhatTheHistoryHasNot() throws {
        let journal = try Journal(SimulatedBlockStorage(blockCount: 4), reusableUpTo: 0)
        for number in 1...4 { _ = try journal.append(payload(number), boot: boot) }
        #expect(journal.fill == 1)
        #expect(throws: StoreError.journalFull(blockCount: 4)) {
            try journal.append(payload(5), boot: boot)
        }
        #expect(journal.replay(after: 0).blocks.count == 4)
        journal.release(through: 2)
        #expect(journal.fill == 0.5 && journal.blocks == [3, 4])
        #expect(try journal.append(payload(5), boot: boot) == 5)
        #expect(try journal.append(payload(6), boot: boot) == 6)
        #expect(throws: StoreError.journalFull(blockCount: 4)) {
            try journal.append(payload(7), boot: boot)
        }
        #expect(journal.replay(after: 3).blocks.map(\.sequence) == [4, 5, 6])
    }

    @Test func refusesAPayloadThatIsLongerThanABlock() throws {
        let journal = try Journal(SimulatedBlockStorage(blockCount: 4), reusableUpTo: 0)
        let tooLong = [UInt8](repeating: 0, count: journal.payloadCapacity + 1)
        #expect(throws: StoreError.payloadTooLong(byteCount: 4_053, capacity: 4_052)) {
            try journal.append(tooLong, boot: boot)
        }
    }

    @Test func countsOnFromTheHistoryWhenTheRingIsGone() throws {
        let journal = try Journal(SimulatedBlockStorage(blockCount: 4), reusableUpTo: 1_000)
        #expect(journal.blocks.isEmpty && journal.fill == 0)
        #expect(try journal.append(payload(1), boot: boot) == 1_001)
        #expect(journal.replay(after: 1_000).blocks.map(\.sequence) == [1_001])
        #expect(journal.replay(after: 1_000).damage.isEmpty)
    }

    @Test func servesTheWholeRingWhenTheHistoryIsGone() throws {
        let storage = SimulatedBlockStorage(blockCount: 4)
        let journal = try Journal(storage, reusableUpTo: 0)
        for number in 1...11 {
            journal.release(through: UInt64(number - 1))
            _ = try journal.append(payload(number), boot: boot)
        }
        let reopened = try Journal(storage.afterPowerCut(.nothing), reusableUpTo: 0)
        #expect(reopened.blocks == [8, 9, 10, 11])
        #expect(reopened.replay(after: 0).damage.isEmpty)
        #expect(reopened.fill == 1)
    }

    @Test func replaysInPiecesOfBoundedMemory() throws {
        let storage = SimulatedBlockStorage(blockCount: 8)
        let journal = try Journal(storage, reusableUpTo: 0)
        for number in 1...7 { _ = try journal.append(payload(number), boot: boot) }
        storage.corrupt(4) {
            $0[100] ^= 1
            $0[50] ^= 1
        }
        let reopened = try Journal(storage, reusableUpTo: 0)
        var (sequence, served, damage) = (UInt64(0), [UInt64](), [UInt64]())
        while true {
            let piece = reopened.replay(after: sequence, limit: 2)
            served += piece.blocks.map(\.sequence)
            damage += piece.damage.map(\.sequence)
            guard let last = piece.blocks.last else { break }
            sequence = last.sequence
        }
        #expect(served == [1, 2, 3, 5, 6, 7])
        #expect(damage == [4])
    }

    @Test func refusesARingWithBlocksOfAnotherSize() throws {
        let storage = SimulatedBlockStorage(blockSize: 512, blockCount: 16)
        let journal = try Journal(storage, reusableUpTo: 0)
        for number in 1...9 { _ = try journal.append(payload(number), boot: boot) }
        let other = SimulatedBlockStorage(blockSize: 1_024, blockCount: 8)
        for index in 0..<8 {
            let halves = (0...1).map { try? storage.read(index * 2 + $0) }
            other.corrupt(index) { $0 = halves.flatMap { $0 ?? [] } }
        }
        #expect(throws: StoreError.otherBlockSize(found: 512, wanted: 1_024)) {
            try Journal(other, reusableUpTo: 0)
        }
    }

    @Test(arguments: [256, 1_536, 131_072])
    func refusesBlockSizesItHasNoFormatFor(blockSize: Int) {
        let storage = SimulatedBlockStorage(blockSize: blockSize, blockCount: 4)
        #expect(throws: StoreError.self) { try Journal(storage, reusableUpTo: 0) }
    }
}
