import Core
import Glibc
import SQLite

/// The result of a copy of a history.
package struct HistoryCopyReport: Hashable, Sendable {
    package struct Ring: Hashable, Sendable {
        /// The table it is.
        package let name: String
        /// Samples, buckets or events that were there.
        package var items = 0
        package var kept = 0
        /// Slots whose header or contents fail their check; they stay empty in the copy.
        package var damagedSlots = 0
    }

    package var rings: [Ring] = []
    /// Faults that a check of the copy found; empty: it is sound and complete.
    package var findings: [String] = []
    /// Whether it was copied page by page, as it is.
    package var isWhole = false
}

/// Copies a history into a new one of the same or of another size; the original stays as it is.
///
/// Slots are copied as they are, oldest first, with new links between them; where the rings are
/// smaller the oldest slots stay behind, but never the newest of a chain. Memory: four bytes for
/// each slot.
package struct HistoryCopy {
    /// Slots of one transaction: 4 MiB of large ones.
    private static let slotsPerTransaction = 1_024

    private let source: HistoryReader
    private let progress: (_ done: Int, _ total: Int) -> Void
    private var report = HistoryCopyReport()

    /// Copies the history at `path`.
    ///
    /// - Parameters:
    ///   - destination: A file that is not there. It appears when the copy is complete and checked.
    ///   - plan: The size of the copy; nil keeps the size.
    ///   - progress: Slots done, of how many; pages when the size stays.
    /// - Returns: What was copied, and the result of a check of the copy.
    /// - Throws: `StoreError.database`; nothing is left at the destination then.
    package static func copy(
        _ path: String,
        to destination: String,
        plan: StorePlan?,
        version: String,
        progress: @escaping (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) throws(StoreError) -> HistoryCopyReport {
        let temporary = destination + ".part"
        remove(temporary)
        do throws(StoreError) {
            let source = try HistoryReader(path: path)
            try check(source)
            var copy = HistoryCopy(source: source, progress: progress)
            // One snapshot of everything, also while the station writes.
            do throws(SQLiteError) {
                try source.connection.execute("BEGIN")
                let _: Int? = try source.connection.scalar("SELECT count(*) FROM migrations")
            } catch { throw .database(error) }
            let isSame = plan.map { copy.isSize($0) } ?? true
            if isSame {
                try copy.backup(to: temporary)
            } else {
                try copy.fill(temporary, plan ?? StorePlan(), version)
            }
            try copy.verify(temporary)
            source.rest()
            guard rename(temporary, destination) == 0 else {
                throw .database(source.connection.damaged("the copy cannot be renamed"))
            }
            // A reader of a write-ahead log leaves an empty one behind.
            remove(temporary)
            return copy.report
        } catch {
            remove(temporary)
            throw error
        }
    }

    private static func remove(_ path: String) {
        for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) }
    }

    /// Refuses a history with tables that this version does not know.
    private static func check(_ source: HistoryReader) throws(StoreError) {
        let words: String
        do {
            let pending = try HistorySchema.migrations(StorePlan()).pending(in: source.connection)
            if pending.isEmpty { return }
            words = "an older version wrote this history; let the station open it once"
        } catch MigrationError.newer(let migration, _) {
            words = "a newer version wrote this history: it knows \(migration)"
        } catch {
            words = "its migrations cannot be read"
        }
        throw .database(source.connection.notWritable(words))
    }

    private func isSize(_ plan: StorePlan) -> Bool {
        let isShape = (try? source.streamCount()) == plan.streamCount
        return isShape
            && HistoryRing.allCases.allSatisfy {
                source.slots($0).count == plan.slotCount(of: $0)
            }
    }

    private mutating func backup(to path: String) throws(StoreError) {
        report.isWhole = true
        let progress = progress
        do {
            try source.connection.backup(to: path) { step in
                progress(step.pagesDone, step.pageCount)
                return true
            }
        } catch { throw .database(error) }
        for ring in HistoryRing.allCases {
            var counts = HistoryCopyReport.Ring(name: ring.table)
            for slot in 0..<source.slots(ring).count {
                let header = try source.slots(ring).header(of: slot)
                if header.key != nil { counts.items += Int(header.count) }
            }
            counts.kept = counts.items
            report.rings.append(counts)
        }
    }

    private mutating func fill(
        _ path: String,
        _ plan: StorePlan,
        _ version: String
    ) throws(StoreError) {
        let (target, _) = try HistoryFile.open(path: path, plan: plan, version: version)
        let tables = HistoryCopyTables(source.connection, target.connection)
        do throws(SQLiteError) { try tables.checkPlaces() } catch { throw .database(error) }
        let total = HistoryRing.allCases.reduce(0) { $0 + source.slots($1).count }
        var (done, places, heads) = (0, [HistoryRing: [Int32]](), [(String, Int64)]())
        for ring in HistoryRing.allCases {
            let kept = try choose(ring, room: target.slots(ring).count)
            places[ring] = kept.places
            try copy(kept.order, kept.places, ring, to: target, done, total)
            done += source.slots(ring).count
            heads.append((ring.table, Int64(kept.order.count % target.slots(ring).count)))
        }
        do throws(SQLiteError) {
            try target.connection.transaction { () throws(SQLiteError) in
                try tables.copyCatalogue()
                try tables.copyHeads { newest, ring in
                    let place = places[ring].flatMap { places in
                        places.indices.contains(newest.slot) ? places[newest.slot] : nil
                    }
                    guard let place, place >= 0 else { return nil }
                    return StreamHeads.Newest(slot: Int(place), depth: newest.depth)
                }
                try tables.copyNumbers(heads)
            }
        } catch { throw .database(error) }
        try target.close()
    }

    /// Chooses the slots to keep, oldest first, and the new place of each; −1 for a dropped one.
    private mutating func choose(
        _ ring: HistoryRing,
        room: Int
    ) throws(StoreError) -> (order: [Int32], places: [Int32]) {
        let slots = source.slots(ring)
        let head: Int
        do throws(SQLiteError) {
            head = Int(try HistoryCatalog(connection: source.connection).number(ring.table))
        } catch { throw .database(error) }
        let ends = try newestSlots(ring)
        var counts = HistoryCopyReport.Ring(name: ring.table)
        var used: [(slot: Int32, items: Int)] = []
        for offset in 0..<slots.count {
            let slot = (head + offset) % slots.count
            let header = try slots.header(of: slot)
            if header.isBroken { counts.damagedSlots += 1 }
            guard header.key != nil else { continue }
            used.append((Int32(slot), Int(header.count)))
            counts.items += Int(header.count)
        }
        var surplus = max(0, used.count - room)
        var (order, places) = ([Int32](), [Int32](repeating: -1, count: slots.count))
        for (slot, items) in used {
            if surplus > 0, !ends.contains(slot) {
                surplus -= 1
                continue
            }
            guard order.count < room else { break }
            places[Int(slot)] = Int32(order.count)
            order.append(slot)
            counts.kept += items
        }
        report.rings.append(counts)
        return (order, places)
    }

    /// The newest slots of all chains of a ring.
    private func newestSlots(_ ring: HistoryRing) throws(StoreError) -> Set<Int32> {
        var ends: Set<Int32> = []
        for place in 0...(try source.streamCount()) {
            let heads = try source.database { (catalogue) throws(SQLiteError) in
                try catalogue.heads(place)
            }
            for newest in heads.newest(in: ring, isEvents: place == 0) {
                ends.insert(Int32(newest.slot))
            }
        }
        return ends
    }

    private mutating func copy(
        _ order: [Int32],
        _ places: [Int32],
        _ ring: HistoryRing,
        to target: History,
        _ done: Int,
        _ total: Int
    ) throws(StoreError) {
        func moved(_ slot: Int?) -> Int? {
            guard let slot, places.indices.contains(slot), places[slot] >= 0 else { return nil }
            return Int(places[slot])
        }
        let (from, into) = (source.slots(ring), target.slots(ring))
        for start in stride(from: 0, to: order.count, by: Self.slotsPerTransaction) {
            let end = min(start + Self.slotsPerTransaction, order.count)
            var damaged = 0
            try target.connection.transaction(.immediate, wrapping: StoreError.database) {
                () throws(StoreError) in
                for place in start..<end {
                    var slot = try from.read(Int(order[place]))
                    if slot.payload.isEmpty, slot.header.used > 0 { damaged += 1 }
                    slot.header.previous = moved(slot.header.previous)
                    slot.header.next = moved(slot.header.next)
                    slot.header.jump = moved(slot.header.jump)
                    try into.write(slot, at: place)
                }
                into.rest()
            }
            report.rings[report.rings.count - 1].damagedSlots += damaged
            progress(done + end, total)
        }
    }

    /// Reads the copy: the database's own check, every slot, and every chain from its end.
    private mutating func verify(_ path: String) throws(StoreError) {
        let copy = try HistoryReader(path: path)
        do throws(SQLiteError) {
            report.findings += try copy.connection.integrityCheck()
        } catch { throw .database(error) }
        for (index, ring) in HistoryRing.allCases.enumerated() {
            let slots = copy.slots(ring)
            var (items, damaged) = (0, 0)
            for slot in 0..<slots.count {
                let found = try slots.read(slot)
                guard found.header.key != nil else { continue }
                items += Int(found.header.count)
                if found.payload.isEmpty, found.header.count > 0 { damaged += 1 }
            }
            let wanted = report.rings[index]
            if items != wanted.kept {
                report.findings.append("\(ring.table): \(items) of \(wanted.kept) are in the copy")
            }
            if damaged > wanted.damagedSlots, !report.isWhole {
                report.findings.append("\(ring.table): \(damaged) slots fail their check")
            }
        }
        for stream in try copy.streams() {
            let before = try StreamExtents(source).spans(of: stream.id).last
            if try StreamExtents(copy).spans(of: stream.id).last?.to != before?.to {
                report.findings.append("\(stream.device): its end is not the original's")
            }
        }
        copy.rest()
    }
}

extension StreamHeads {
    /// The ends of the chains in a ring.
    fileprivate func newest(in ring: HistoryRing, isEvents: Bool) -> [Newest] {
        switch ring {
        case .events: isEvents ? [samples].compactMap(\.self) : []
        case .samples: isEvents ? [] : [samples].compactMap(\.self)
        case .minutes, .quarterHours, .sixHours:
            RollupTier.allCases.filter { HistoryRing($0) == ring }.flatMap { tier in
                (0..<Self.channelCountMax).compactMap { self[$0, tier] }
            }
        }
    }
}
