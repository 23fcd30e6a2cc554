import Core
import HardwareIO

/// Records that wait for the history: a ring of blocks, each durable before it is acknowledged.
///
/// Block `n` is in slot `n` modulo the number of slots. Each block names the one acknowledged
/// before it, so that a scan can distinguish a lost block from one that was never acknowledged. A
/// block is overwritten only after it was released. Memory: 24 bytes a slot.
package final class Journal {
    /// Bytes of one block of a station's ring.
    package static let standardBlockSize = 4_096

    /// Slots that one append tries when the card fails to write, so that a card that is slow to
    /// refuse does not hold up the disk thread; then it throws, and the next begins behind them.
    static let triesPerAppend = 32
    /// Slots used of a storage that has more, 256 MiB of 4 KiB blocks: a start reads them all.
    static let slotLimit = 65_536

    private let storage: any BlockStorage
    private let layout: JournalBlockLayout
    let slotCount: Int
    /// The waiting blocks, oldest first; at most `slotCount`.
    private var waiting: [UInt64] = []
    /// The lost ones among them, oldest first; at most `slotCount`.
    private var lost: [JournalDamage] = []
    /// Slots that are left out.
    private var bad: JournalBadSlots
    private var acknowledged: UInt64 = 0
    /// Whether no slot held a whole block when it was opened.
    private let isEmpty: Bool
    private var next: UInt64 = 1
    private var released: UInt64 = 0

    /// Slots that held neither zeros nor a whole block at the start.
    ///
    /// Many, and no block at all, means that the partition holds other data.
    package let damagedSlotCount: Int

    /// Bytes behind the newest block that are no block: a write that power or the card interrupted.
    ///
    /// Not damage: it stands where the successor of the newest block goes, over a block that the
    /// history has stored, and its append had not returned.
    package private(set) var unfinished: JournalDamage?

    /// Opens the ring as it is found.
    ///
    /// - Parameters:
    ///   - storage: The ring; it holds zeros, a journal's blocks, or other bytes, which count as
    ///     damage.
    ///   - reusableUpTo: Cursor of the history: blocks up to here it has.
    ///   - isSettled: Whether they may be overwritten; else they are kept until they are released.
    ///   - last: The newest block that was acknowledged, when this process wrote it; later ones had
    ///     failed.
    ///   - bad: Slots that refused a write before, when this process wrote to them.
    /// - Throws: `StoreError.otherBlockSize`; `.storage(.wrongSize)` for fewer than two slots or a
    ///   block size that is no power of two within 512 … 65 536.
    package init(
        _ storage: any BlockStorage,
        reusableUpTo: UInt64,
        isSettled: Bool = true,
        through last: UInt64? = nil,
        bad: JournalBadSlots = JournalBadSlots()
    ) throws(StoreError) {
        guard JournalBlockLayout.isAllowed(blockSize: storage.blockSize), storage.blockCount >= 2
        else {
            let found = storage.blockSize * storage.blockCount
            throw .storage(.wrongSize(path: "journal", found: found, wanted: 1_024))
        }
        self.storage = storage
        layout = JournalBlockLayout(blockSize: storage.blockSize)
        slotCount = min(storage.blockCount, Self.slotLimit)
        self.bad = bad
        // A process killed between write and sync left its block in memory only. On a read-only
        // card this fails, and what there is can still be read.
        try? storage.sync()
        let scan = JournalScan(storage, layout, slotCount: slotCount)
        if let found = scan.otherBlockSize {
            throw .otherBlockSize(found: found, wanted: storage.blockSize)
        }
        isEmpty = scan.newest == 0
        let run = scan.run(after: reusableUpTo, through: last)
        waiting = run.sequences
        lost = run.damage
        unfinished = run.unfinished
        damagedSlotCount = scan.damagedSlotCount
        acknowledged = max(last ?? scan.newest, reusableUpTo)
        next = max(scan.newest, acknowledged) + 1
        let oldest = [waiting.first, lost.first?.sequence].compactMap(\.self).min()
        released = oldest.map { $0 - 1 } ?? acknowledged
        // Released blocks are below every slot.
        let floor = acknowledged > UInt64(slotCount) ? acknowledged - UInt64(slotCount) : 0
        released = isSettled ? max(released, floor) : floor
    }

    /// The blocks that wait for the history, oldest first.
    package var blocks: [UInt64] { waiting }

    /// Bytes of payload that one block holds.
    package var payloadCapacity: Int { layout.payloadCapacity }

    /// Whether nothing was ever written here, as far as the ring shows.
    package var isBlank: Bool { isEmpty && damagedSlotCount == 0 }

    /// How much of the ring waits for the history, 0 … 1; at 1 nothing can be appended.
    ///
    /// Slots that refuse are counted where they stand before the next one that does not.
    package var fill: Double { Double(upcoming - 1 - released) / Double(slotCount) }

    /// How much of the ring is newer than a block, 0 … 1.
    func fill(after cursor: UInt64) -> Double {
        Double(next - 1 - max(released, min(cursor, next - 1))) / Double(slotCount)
    }

    /// Whether a block newer than one has samples of a stream.
    func hasSamples(of stream: StreamID, after sequence: UInt64) -> Bool {
        waiting.contains { number in
            guard number > sequence, let block = try? read(number) else { return false }
            return JournalRecordCodec.contents(block.payload).records.contains { record in
                if case .samples(stream, _) = record { true } else { false }
            }
        }
    }

    /// Whether the next append would overwrite a block that waits.
    package var isFull: Bool { upcoming - released > UInt64(slotCount) }

    /// The sequence of the next block: the first whose slot is not a bad one.
    private var upcoming: UInt64 {
        var sequence = next
        while sequence - next < UInt64(slotCount), bad.contains(slot(of: sequence)) {
            sequence += 1
        }
        return sequence
    }

    /// Gives up the oldest block that waits.
    func releaseOldest() { release(through: released + 1) }

    /// The newest acknowledged block; 0 when there never was one.
    package var newest: UInt64 { acknowledged }

    /// Slots that refused a write, for the next opening of the same ring.
    package var badSlots: JournalBadSlots { bad }

    /// The blocks that wait and what is lost between them, oldest first.
    ///
    /// A block that turns out damaged while it is read becomes damage here.
    ///
    /// - Parameters:
    ///   - limit: Blocks at most, ≥ 1, so that memory stays bounded; call again after the last.
    /// - Returns: The blocks, and the damage between them and up to the next one.
    package func replay(
        after sequence: UInt64,
        limit: Int = .max
    ) -> (blocks: [JournalBlock], damage: [JournalDamage]) {
        var (blocks, damage) = ([JournalBlock](), lost.filter { $0.sequence > sequence })
        for wanted in waiting where wanted > sequence {
            guard blocks.count < limit else {
                let last = blocks.last?.sequence ?? 0
                damage.removeAll { $0.sequence > last }
                break
            }
            do {
                blocks.append(try read(wanted))
            } catch {
                if case .lostBlock(let cause) = error { damage.append(cause) }
            }
        }
        return (blocks, damage.sorted { $0.sequence < $1.sequence })
    }

    /// Reads one block that waits.
    package func read(_ sequence: UInt64) throws(StoreError) -> JournalBlock {
        let slot = slot(of: sequence)
        func lost(_ cause: JournalDamage.Cause) -> StoreError {
            .lostBlock(JournalDamage(slot: slot, sequence: sequence, cause: cause))
        }
        let bytes: [UInt8]
        do { bytes = try storage.read(slot) } catch { throw lost(.unreadable(errno: error.errno)) }
        switch layout.decode(bytes) {
        case .whole(let header, let block):
            guard header.sequence == sequence else { throw lost(.misplaced(header.sequence)) }
            return block
        case .blank: throw lost(.missing)
        case .damaged(let cause): throw lost(cause)
        }
    }

    /// Writes one block and syncs; the block is durable when this returns, and only then.
    ///
    /// When it throws, the block may or may not be found at the next start; the caller keeps the
    /// payload and appends again, after which the first attempt is never served.
    ///
    /// - Parameters:
    ///   - payload: At most `payloadCapacity` bytes.
    ///   - boot: The boot that its ticks belong to.
    /// - Returns: The sequence of the block.
    /// - Throws: `StoreError.journalFull` when the slot's block was not released,
    ///   `.payloadTooLong`, `.storage`.
    package func append(_ payload: [UInt8], boot: BootID) throws(StoreError) -> UInt64 {
        guard payload.count <= payloadCapacity else {
            throw .payloadTooLong(byteCount: payload.count, capacity: payloadCapacity)
        }
        let sequence = try write(payload, boot: boot)
        next = sequence + 1  // Also when the sync fails: the card's content is unknown then.
        do { try storage.sync() } catch { throw .storage(error) }
        acknowledged = sequence
        waiting.append(sequence)
        return sequence
    }

    /// Lets all that the ring still holds wait again: the history that had it is lost.
    package func rewind() {
        let run = JournalScan(storage, layout, slotCount: slotCount)
            .run(after: 0, through: acknowledged)
        (waiting, lost) = (run.sequences, run.damage)
        let oldest = [waiting.first, lost.first?.sequence].compactMap(\.self).min()
        released = oldest.map { $0 - 1 } ?? acknowledged
    }

    /// Lets blocks be overwritten: the history has them, or their data is given up.
    package func release(through sequence: UInt64) {
        let last = min(sequence, next - 1)
        guard last > released else { return }
        released = last
        bad.forgive()
        waiting.removeFirst(waiting.firstIndex { $0 > last } ?? waiting.count)
        lost.removeAll { $0.sequence <= last }
    }

    /// Writes to the next slot that can be written.
    private func write(_ payload: [UInt8], boot: BootID) throws(StoreError) -> UInt64 {
        var sequence = upcoming
        var refused: [Int] = []
        var refusal: StorageError?
        while true {
            guard sequence - released <= UInt64(slotCount) else {
                if let refusal {
                    bad.suspect(refused, of: slotCount)
                    throw .storage(refusal)
                }
                guard bad.forgive() else { throw .journalFull(blockCount: slotCount) }
                sequence = upcoming
                continue
            }
            let slot = slot(of: sequence)
            guard !bad.contains(slot) else {
                sequence += 1
                continue
            }
            let block = JournalBlock(sequence: sequence, boot: boot, payload: payload)
            do {
                try storage.write(slot, layout.encode(block, previous: acknowledged))
                bad.confirm(refused)
                return sequence
            } catch {
                if case .failed = error { refused.append(slot) }
                guard case .failed = error, refused.count < Self.triesPerAppend else {
                    bad.suspect(refused, of: slotCount)
                    throw .storage(error)
                }
                refusal = error
                sequence += 1
            }
        }
    }

    private func slot(of sequence: UInt64) -> Int { Int(sequence % UInt64(slotCount)) }
}

extension StorageError {
    /// The number for a damage report; 0 where the kernel gave none.
    var errno: Int32 {
        if case .failed(_, let errno, _) = self { errno } else { 0 }
    }
}
