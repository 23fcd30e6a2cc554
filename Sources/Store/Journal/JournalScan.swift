import HardwareIO

/// The content of a ring, found by reading all of it once.
struct JournalScan {
    /// The run of blocks that wait, from the newest back to the history's cursor.
    struct Run {
        /// Sequences of the whole blocks, oldest first.
        var sequences: [UInt64] = []
        /// Damage of the ring, oldest first.
        var damage: [JournalDamage] = []
        var unfinished: JournalDamage?
    }

    /// The whole block with the greatest number, which ends the run; 0 when there is none.
    private(set) var newest: UInt64 = 0
    /// Set when no block is whole and a header has another block size.
    private(set) var otherBlockSize: Int?

    /// Slots that hold neither zeros nor a whole block where it belongs.
    var damagedSlotCount: Int { damaged.count }

    private let slotCount: Int
    /// The predecessor that each block names, by sequence.
    private var headers: [UInt64: UInt64] = [:]
    private var damaged: [Int: JournalDamage.Cause] = [:]

    init(_ storage: any BlockStorage, _ layout: JournalBlockLayout, slotCount: Int) {
        self.slotCount = slotCount
        var otherSize: Int?
        for slot in 0..<slotCount {
            switch Self.content(of: slot, storage, layout) {
            case .blank: continue
            case .whole(let header, _):
                guard header.sequence % UInt64(slotCount) == UInt64(slot) else {
                    damaged[slot] = .misplaced(header.sequence)
                    continue
                }
                headers[header.sequence] = header.previous
                newest = max(newest, header.sequence)
            case .damaged(let cause):
                damaged[slot] = cause
                if case .blockSize(let size) = cause { otherSize = otherSize ?? size }
            }
        }
        if newest == 0 { otherBlockSize = otherSize }
    }

    private static func content(
        of slot: Int,
        _ storage: any BlockStorage,
        _ layout: JournalBlockLayout
    ) -> JournalBlockLayout.Slot {
        do {
            return layout.decode(try storage.read(slot))
        } catch {
            return .damaged(.unreadable(errno: error.errno))
        }
    }

    /// Follows the blocks back from the newest, each to the one it names.
    ///
    /// A block that is whole but not named was never acknowledged: its append had thrown and its
    /// payload came again in a later block. Behind a lost block the names are lost too; there
    /// every block counts.
    ///
    /// - Parameters:
    ///   - last: Where the run ends, when that is known from elsewhere.
    /// - Returns: The run, oldest first.
    func run(after cursor: UInt64, through last: UInt64? = nil) -> Run {
        var run = Run()
        var sequence = last ?? newest
        // Below the floor are blocks that the history has, or that the ring has overwritten.
        let floor = max(cursor, newest > UInt64(slotCount) ? newest - UInt64(slotCount) : 0)
        while sequence > floor {
            if let previous = headers[sequence] {
                run.sequences.append(sequence)
                sequence = previous
            } else {
                run.damage.append(damage(at: sequence, or: .missing))
                sequence = skip(from: sequence, to: floor, &run)
            }
        }
        // The ring went round before the history had it: the log was lost, or the history is older.
        if cursor > 0, sequence > cursor, !run.sequences.isEmpty {
            let slot = slot(of: sequence)
            run.damage.append(JournalDamage(slot: slot, sequence: sequence, cause: .overwritten))
        }
        run.sequences.reverse()
        run.damage.reverse()
        run.unfinished = unfinished(cursor)
        return run
    }

    /// The next whole block below a lost one; damaged slots between are lost blocks as well.
    private func skip(from lost: UInt64, to floor: UInt64, _ run: inout Run) -> UInt64 {
        var sequence = lost - 1
        while sequence > floor, headers[sequence] == nil {
            if damaged[slot(of: sequence)] != nil {
                run.damage.append(damage(at: sequence, or: .missing))
            }
            sequence -= 1
        }
        return sequence
    }

    private func damage(at sequence: UInt64, or cause: JournalDamage.Cause) -> JournalDamage {
        let slot = slot(of: sequence)
        return JournalDamage(slot: slot, sequence: sequence, cause: damaged[slot] ?? cause)
    }

    private func unfinished(_ cursor: UInt64) -> JournalDamage? {
        let successor = newest + 1
        let count = UInt64(slotCount)
        let isReleased = successor <= count || successor - count <= cursor
        guard isReleased, let cause = damaged[slot(of: successor)] else { return nil }
        return JournalDamage(slot: slot(of: successor), sequence: successor, cause: cause)
    }

    private func slot(of sequence: UInt64) -> Int { Int(sequence % UInt64(slotCount)) }
}
