import Core
import HardwareIO
import TestSupport
import Testing

@testable import SimulationKit
@testable import Store

/// A random workload of appends, releases, restarts and failing syncs, cut at each write and sync.
@Suite struct JournalPowerCutTests {
    private static let blockCount = 6

    @Test(arguments: 1...Exhaustive.journals)
    func keepsWhatItAcknowledgedWhereverThePowerEnds(seed: UInt64) throws {
        var cut = 0
        while true {
            let run = JournalWorkload(seed: seed, blockCount: Self.blockCount, powerEndsAt: cut)
            run.perform(steps: 40)
            guard run.storage.operationCount > cut else { break }
            for survival in survivals(seed: seed &* 1_000 &+ UInt64(cut)) {
                let card = run.storage.afterPowerCut(survival)
                try run.check(card, "seed \(seed), cut at \(cut), \(survival)")
                try cutAgain(run, card, survival)
            }
            cut += 1
        }
        #expect(cut > 35)
    }

    /// The power ends once more, at each operation of the recovery and of the append after it.
    private func cutAgain(
        _ run: JournalWorkload,
        _ card: SimulatedBlockStorage,
        _ survival: SimulatedBlockStorage.Survival
    ) throws {
        for second in 0...2 {
            let found = card.afterPowerCut(.nothing)
            found.faults.powerEndsAt = second
            let journal = try Journal(found, reusableUpTo: run.cursor)
            let appended = try? journal.append([1, 2, 3], boot: JournalWorkload.boot)
            #expect(appended == nil)
            let again = found.afterPowerCut(survival)
            try run.check(again, "cut again at \(second), \(survival)", attempts: [[1, 2, 3]])
        }
    }

    private func survivals(seed: UInt64) -> [SimulatedBlockStorage.Survival] {
        [
            .nothing, .everything, .someWrites(seed: seed), .someSectors(seed: seed),
            .someSectors(seed: seed &+ 1),
        ]
    }
}

/// Drives a journal and records which payloads were acknowledged.
private final class JournalWorkload {
    static let boot = BootID(bytes: Array(1...16))

    let storage: SimulatedBlockStorage
    /// Sequence of the last block that the history has.
    private(set) var cursor: UInt64 = 0
    private var acknowledged: [JournalBlock] = []
    /// Payloads of appends that threw: they may be found, as the newest block, or not.
    private var attempts: Set<[UInt8]> = []
    /// An append threw and none has returned since.
    private var isInDoubt = false
    private var dice: SplitMix64

    init(seed: UInt64, blockCount: Int, powerEndsAt: Int) {
        dice = SplitMix64(seed: seed)
        storage = SimulatedBlockStorage(blockSize: 1_024, blockCount: blockCount)
        storage.faults.powerEndsAt = powerEndsAt
        storage.faults.failingSyncs = Set((0..<3).map { _ in Int.random(in: 1..<60, using: &dice) })
        storage.faults.failingWrites = [Int.random(in: 0..<40, using: &dice)]
    }

    func perform(steps: Int) {
        guard var journal = try? Journal(storage, reusableUpTo: 0) else { return }
        for step in 0..<steps {
            switch Int.random(in: 0..<8, using: &dice) {
            case 0...4: append(step, to: journal)
            case 5, 6:
                // The history commits first; the journal learns of it later, or never.
                cursor = acknowledged.randomElement(using: &dice)?.sequence ?? cursor
                acknowledged.removeAll { $0.sequence <= cursor }
                if Bool.random(using: &dice) { journal.release(through: cursor) }
            default:
                // A failed sync, then a kill before the next append: see SPEC.md, Journal.
                guard !isInDoubt else { continue }
                // Killed and started again, without a power cut.
                guard let reopened = try? Journal(storage, reusableUpTo: cursor) else { return }
                journal = reopened
                adopt(journal)
            }
        }
    }

    /// The card as it is found holds the promises, and goes on working.
    func check(
        _ card: SimulatedBlockStorage,
        _ words: String,
        attempts more: Set<[UInt8]> = []
    ) throws {
        let card = card.afterPowerCut(.nothing)
        let journal = try Journal(card, reusableUpTo: cursor)
        let (blocks, damage) = journal.replay(after: cursor)
        let known = Set(acknowledged.map(\.sequence))
        #expect(blocks.filter { known.contains($0.sequence) } == acknowledged, "\(words)")
        let extra = blocks.filter { !known.contains($0.sequence) }
        #expect(extra.count <= 1 + more.count, "\(words)")
        #expect(extra.allSatisfy { attempts.union(more).contains($0.payload) }, "\(words)")
        #expect(Array(blocks.suffix(extra.count)) == extra, "\(words)")
        #expect(damage.isEmpty, "\(words)")
        guard journal.fill < 1 else { return }
        let sequence = try journal.append([9], boot: Self.boot)
        let reopened = try Journal(card.afterPowerCut(.nothing), reusableUpTo: cursor)
        #expect(reopened.replay(after: cursor).blocks.last?.payload == [9], "\(words)")
        #expect(blocks.allSatisfy { $0.sequence < sequence }, "\(words)")
    }

    private func append(_ step: Int, to journal: Journal) {
        let byteCount = Int.random(in: 1...journal.payloadCapacity, using: &dice)
        let payload = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ step &* 7) }
        do throws(StoreError) {
            let sequence = try journal.append(payload, boot: Self.boot)
            acknowledged.append(
                JournalBlock(sequence: sequence, boot: Self.boot, payload: payload)
            )
            isInDoubt = false
        } catch {
            attempts.insert(payload)
            isInDoubt = true
        }
    }

    /// Counts whole blocks after a restart as acknowledged.
    private func adopt(_ journal: Journal) {
        for block in journal.replay(after: cursor).blocks
        where !acknowledged.contains(block) && attempts.contains(block.payload) {
            acknowledged.append(block)
        }
    }
}
