import Core
import HardwareIO
import Testing

@testable import SimulationKit
@testable import Store

private let boot = BootID(bytes: Array(1...16))

/// A ring of eight slots with blocks 1 … `count`, each in the slot of its number.
private func card(_ count: Int = 6) throws -> SimulatedBlockStorage {
    let storage = SimulatedBlockStorage(blockSize: 1_024, blockCount: 8)
    let journal = try Journal(storage, reusableUpTo: 0)
    for number in 1...count { _ = try journal.append([UInt8(number), 1, 2], boot: boot) }
    return storage
}

@Suite struct JournalFaultTests {
    @Test(arguments: [
        (0, 0xFF, JournalDamage.Cause.magic),
        (4, 0xFF, .version(0xFE)),
        (5, 0x01, .blockSize(2_048)),
        (7, 0x80, .length(0x8003)),
    ])
    func namesWhatIsWrongWithABlockAndServesTheRest(
        offset: Int,
        change: UInt8,
        cause: JournalDamage.Cause
    ) throws {
        let storage = try card()
        storage.corrupt(3) { $0[offset] ^= change }
        let (blocks, damage) = try Journal(storage, reusableUpTo: 0).replay(after: 0)
        #expect(blocks.map(\.sequence) == [1, 2, 4, 5, 6])
        #expect(damage == [JournalDamage(slot: 3, sequence: 3, cause: cause)])
        #expect(damage.first?.description.contains("block 3 in slot 3") == true)
    }

    @Test func noticesEveryBitThatFlipsInABlock() throws {
        let storage = try card()
        for bit in 0..<47 * 8 {
            storage.corrupt(3) { $0[bit / 8] ^= 1 << (bit % 8) }
            let (blocks, damage) = try Journal(storage, reusableUpTo: 0).replay(after: 0)
            #expect(blocks.map(\.sequence) == [1, 2, 4, 5, 6])
            #expect(damage.map(\.slot) == [3])
            storage.corrupt(3) { $0[bit / 8] ^= 1 << (bit % 8) }
        }
    }

    @Test func servesTheRestOfARingThatCannotBeReadEverywhere() throws {
        let storage = try card()
        storage.faults.unreadableBlocks = [2, 5]
        let (blocks, damage) = try Journal(storage, reusableUpTo: 0).replay(after: 0)
        #expect(blocks.map(\.sequence) == [1, 3, 4, 6])
        #expect(damage.map(\.sequence) == [2, 5])
        #expect(damage.allSatisfy { $0.cause == .unreadable(errno: 5) })
    }

    @Test func saysThatABlockThatWasAcknowledgedIsGone() throws {
        let storage = try card()
        storage.corrupt(4) { $0 = [UInt8](repeating: 0, count: $0.count) }
        let (blocks, damage) = try Journal(storage, reusableUpTo: 0).replay(after: 0)
        #expect(blocks.map(\.sequence) == [1, 2, 3, 5, 6])
        #expect(damage == [JournalDamage(slot: 4, sequence: 4, cause: .missing)])
    }

    @Test func findsDamageWhileItReplays() throws {
        let storage = try card()
        let journal = try Journal(storage, reusableUpTo: 0)
        storage.corrupt(2) { $0[44] ^= 1 }
        let (blocks, damage) = journal.replay(after: 0)
        #expect(blocks.count == 5 && damage.map(\.sequence) == [2])
    }

    @Test func tellsATornLastBlockFromADamagedOne() throws {
        let storage = try card(8)
        let journal = try Journal(storage, reusableUpTo: 4)
        storage.faults.powerEndsAt = storage.operationCount
        #expect(throws: StoreError.self) { try journal.append([9, 9], boot: boot) }
        let torn = storage.afterPowerCut(.nothing)
        torn.corrupt(1) { $0.replaceSubrange(0..<20, with: repeatElement(0xEE, count: 20)) }

        let copy = torn.afterPowerCut(.nothing)
        // Slot 1 is where block 9 goes, over block 1, which the history has.
        let found = try Journal(torn, reusableUpTo: 4)
        #expect(found.replay(after: 4).damage.isEmpty)
        #expect(found.unfinished == JournalDamage(slot: 1, sequence: 9, cause: .magic))
        #expect(try found.append([9], boot: boot) == 9)
        // Without the history's word for it, the same bytes may be block 1.
        let unsure = try Journal(copy, reusableUpTo: 0)
        #expect(unsure.unfinished == nil)
        #expect(unsure.replay(after: 0).damage.map(\.sequence) == [1])
    }

    @Test func goesRoundABadBlock() throws {
        let storage = SimulatedBlockStorage(blockSize: 1_024, blockCount: 8)
        storage.faults.badBlocks = [2, 3]
        let journal = try Journal(storage, reusableUpTo: 0)
        let sequences = try (1...6).map { try journal.append([UInt8($0)], boot: boot) }
        #expect(sequences == [1, 4, 5, 6, 7, 8])
        #expect(journal.badSlots.count == 2)
        let found = try Journal(storage.afterPowerCut(.nothing), reusableUpTo: 0)
        #expect(found.replay(after: 0).blocks.map(\.payload) == (1...6).map { [UInt8($0)] })
        #expect(found.replay(after: 0).damage.isEmpty)
    }

    /// A run of bad slots of any length, met again after reopening and with the ring's next turn.
    @Test(arguments: [1, 5, 24, 40, 62])
    func usesWhatIsLeftOfARingWithBadSlots(_ badCount: Int) throws {
        let storage = SimulatedBlockStorage(blockSize: 1_024, blockCount: 64)
        storage.faults.badBlocks = Set((20..<20 + badCount).map { $0 % 64 })
        var journal = try Journal(storage, reusableUpTo: 0)
        var failures = 0
        for number in 1...300 {
            let payload = [UInt8(number % 251)]
            // As the keeper does: what fails is tried again, and a full ring is taken.
            var sequence: UInt64?
            while sequence == nil {
                do { sequence = try journal.append(payload, boot: boot) } catch {
                    failures += 1
                    try #require(failures <= 2 + badCount / 8)
                    if journal.fill >= StationStore.urgentFill {
                        journal.release(through: journal.newest)
                    }
                }
            }
            #expect(try journal.read(journal.newest).payload == payload)
            if journal.fill >= StationStore.urgentFill { journal.release(through: journal.newest) }
            guard number % 50 == 0 else { continue }
            let bad = journal.badSlots
            #expect(number < 100 || bad.count == badCount)
            journal = try Journal(
                storage,
                reusableUpTo: journal.newest,
                through: journal.newest,
                bad: bad
            )
        }
    }

    @Test func givesUpOnACardThatTakesNothing() throws {
        let storage = try card(1)
        storage.faults.badBlocks = Set(0..<8)
        let journal = try Journal(storage, reusableUpTo: 0)
        let eio = StorageError.failed(call: "pwrite", errno: 5, path: "simulated")
        #expect(throws: StoreError.storage(eio)) { try journal.append([2], boot: boot) }
        storage.faults.badBlocks = []
        #expect(throws: Never.self) { try journal.append([2], boot: boot) }
        #expect(journal.replay(after: 0).blocks.map(\.payload) == [[1, 1, 2], [2]])
    }

    @Test func passesOnThatTheCardIsFullOrReadOnlyAndRecovers() throws {
        let storage = try card(1)
        let journal = try Journal(storage, reusableUpTo: 0)
        storage.faults.isFull = true
        #expect(throws: StoreError.storage(.full(path: "simulated"))) {
            try journal.append([2], boot: boot)
        }
        storage.faults.isFull = false
        storage.faults.isReadOnly = true
        #expect(throws: StoreError.storage(.readOnly(path: "simulated"))) {
            try journal.append([2], boot: boot)
        }
        storage.faults.isReadOnly = false
        #expect(try journal.append([2], boot: boot) == 2)
    }

    @Test func neverServesTwiceWhatWasAppendedAgainAfterAFailedSync() throws {
        let storage = try card(1)
        let journal = try Journal(storage, reusableUpTo: 0)
        storage.faults.failingSyncs = [storage.syncCount]
        #expect(throws: StoreError.self) { try journal.append([2], boot: boot) }
        #expect(try journal.append([2], boot: boot) == 3)
        // Before the power ends, the first attempt stands whole in the page cache.
        for found in [storage, storage.afterPowerCut(.nothing)] {
            let (blocks, damage) = try Journal(found, reusableUpTo: 0).replay(after: 0)
            #expect(blocks.map(\.sequence) == [1, 3])
            #expect(damage.isEmpty)
        }
    }

    @Test func startsOnAnyGarbage() throws {
        var dice = SplitMix64(seed: 11)
        for _ in 0..<200 {
            let storage = try card(Int.random(in: 1...8, using: &dice))
            for slot in 0..<8 where Bool.random(using: &dice) {
                let start = Int.random(in: 0..<60, using: &dice)
                let garbage = (0..<200).map { _ in UInt8.random(in: 0...255, using: &dice) }
                storage.corrupt(slot) { $0.replaceSubrange(start..<start + 200, with: garbage) }
            }
            let journal = try Journal(storage, reusableUpTo: UInt64.random(in: 0...9, using: &dice))
            let before = journal.replay(after: 0).blocks
            #expect(before.allSatisfy { $0.payload.dropFirst() == [1, 2] })
            guard journal.fill < 1 else { continue }
            let sequence = try journal.append([99], boot: boot)
            #expect(journal.replay(after: 0).blocks.last?.sequence == sequence)
        }
    }
}
