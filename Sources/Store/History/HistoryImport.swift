import Core
import SQLite

/// Why samples cannot be imported; nothing of the import is kept then.
package enum ImportError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A newer Roost wrote this history.
    case readOnly
    /// Every place for a stream is in use, except those reserved for the station.
    case streamsFull(source: String, count: Int)
    /// A source with more quantities, or longer names, than a stream can hold.
    case streamTooLong(source: String)
    /// Files came so often in the wrong order that there are `ImportedBoot.countMax` boots.
    case tooOftenOutOfOrder

    package var description: String {
        switch self {
        case .readOnly: "a newer version wrote this history; import with that one"
        case .streamsFull(let source, let count):
            "\(source): the history has places for \(count) streams, and none is left for another; "
                + "a larger history has more: see `roost store compact-copy --help`"
        case .streamTooLong(let source):
            "\(source): more than \(StreamHeads.channelCountMax) quantities, or names too long"
        case .tooOftenOutOfOrder:
            "older samples came after newer ones \(ImportedBoot.countMax) times; import all files "
                + "in one command, which imports them in order, into a fresh history"
        }
    }
}

/// Writes samples with wall time into a history, within one transaction of `run(into:)`.
///
/// Samples are distinguished by source and tenth of a second. A source is a device of the same name
/// with an id from `StreamID.firstImported` on; should a file bring quantities that its stream has
/// not, another stream of that device is made.
package final class HistoryImport {
    /// Samples of one call of `add`, at most: the number held in memory.
    package static let batchCountMax = 16_384

    struct Stream {
        let description: StreamDescription
        /// Boots that it has samples in, in the order of their ordinals, with first and last tick.
        var extents: [(ordinal: UInt32, boot: BootID, ticks: ClosedRange<Int64>)]
    }

    private let connection: Connection
    private let rings: [HistoryRing: HistorySlots]
    let reader: HistoryReader
    private let cursor: UInt64
    /// Sources whose streams have their extents.
    private var loaded: Set<String> = []
    private(set) var streams: [String: [Stream]] = [:]
    private var lastID = StreamID.firstImported.rawValue - 1
    private var boots: [(ordinal: UInt32, number: Int)] = []
    private var newestOrdinal: UInt32 = 0
    private var allocated: [HistoryRing: Int] = [:]
    private var recycled: [SlotKey: RecycledSlots] = [:]
    private var counts = HistoryImportReport()

    /// - Parameter before: One that was before in the same import: its counts go on.
    init(
        _ connection: Connection,
        _ rings: [HistoryRing: HistorySlots],
        cursor: Int64,
        after before: HistoryImport? = nil
    ) throws(StoreError) {
        (self.connection, self.rings) = (connection, rings)
        self.cursor = UInt64(bitPattern: cursor)
        reader = HistoryReader(connection, rings)
        for stream in try reader.streams() where stream.id.isImported {
            lastID = max(lastID, stream.id.rawValue)
            streams[stream.device, default: []].append(Stream(description: stream, extents: []))
        }
        try loadBoots()
        guard let before else { return }
        (counts, allocated, recycled) = (before.counts, before.allocated, before.recycled)
    }

    /// Samples that were new so far.
    var sampleCount: Int { counts.samples }

    /// Slots of a ring that were given out so far.
    func allocatedCount(_ ring: HistoryRing) -> Int { allocated[ring] ?? 0 }

    /// Finds what the streams of a source have; to be called before they are asked for.
    func load(_ source: String) throws(StoreError) {
        guard loaded.insert(source).inserted else { return }
        for index in streams[source]?.indices ?? 0..<0 { try loadExtents(source, index) }
    }

    /// Those of some samples that the history does not have, each tenth of a second once.
    func fresh(_ samples: [ImportedSample]) throws(StoreError) -> [ImportedSample] {
        var fresh: [ImportedSample] = []
        let sources = Dictionary(grouping: samples, by: \.source)
        for (source, mine) in sources.sorted(by: { $0.key < $1.key }) {
            fresh += try unknown(Self.sorted(mine), of: source)
        }
        return fresh
    }

    /// Imports samples of any sources, in any order.
    ///
    /// - Returns: How many were new; the others were there already.
    /// - Throws: `ImportError`, `StoreError.database`.
    @discardableResult
    package func add(_ samples: [ImportedSample]) throws -> Int {
        precondition(samples.count <= Self.batchCountMax, "a batch fits the memory")
        var new = 0
        for (source, mine) in Dictionary(grouping: samples, by: \.source).sorted(by: {
            $0.key < $1.key
        }) {
            let fresh = try unknown(Self.sorted(mine), of: source)
            counts.known += mine.count - fresh.count
            guard !fresh.isEmpty else { continue }
            try write(fresh, to: try stream(for: fresh, of: source), of: source)
            counts.samples += fresh.count
            new += fresh.count
        }
        return new
    }

    /// The effect so far.
    package func report() throws(StoreError) -> HistoryImportReport {
        var report = counts
        for (ring, slots) in rings {
            let share = Double(allocated[ring] ?? 0) / Double(slots.count)
            report.share = max(report.share, share)
            if ring == .samples { report.samplesShare = share }
        }
        report.overwritten = try Self.overwritten(recycled, reader)
        return report
    }

    /// The contents of slots that were given out again, by device.
    static func overwritten(
        _ recycled: [SlotKey: RecycledSlots],
        _ reader: HistoryReader
    ) throws(StoreError) -> [HistoryImportReport.Overwritten] {
        var ids: [UInt32: BootID] = [:]
        for boot in try reader.boots() { ids[boot.ordinal] = boot.id }
        let known = try reader.streams()
        var devices: [StreamID: RecycledSlots] = [:]
        for (key, slots) in recycled { devices[key.stream, default: RecycledSlots()].merge(slots) }
        return devices.sorted { $0.key < $1.key }.map { id, slots in
            func place(_ position: HistoryPosition?) -> HistoryImportReport.Place? {
                guard let position, let boot = ids[position.boot] else { return nil }
                return HistoryImportReport.Place(boot: boot, tick: position.tick)
            }
            return HistoryImportReport.Overwritten(
                device: known.first { $0.id == id }?.device ?? "stream \(id.rawValue)",
                isImported: id.isImported,
                samples: slots.items,
                from: place(slots.range?.lowerBound),
                to: place(slots.range?.upperBound)
            )
        }
    }

    private func loadBoots() throws(StoreError) {
        for boot in try reader.boots() {
            newestOrdinal = max(newestOrdinal, boot.ordinal)
            guard let number = ImportedBoot.number(boot.id) else { continue }
            boots.append((boot.ordinal, number))
        }
    }

    private func loadExtents(_ device: String, _ index: Int) throws(StoreError) {
        guard let id = streams[device]?[index].description.id else { return }
        var ordinals: [BootID: UInt32] = [:]
        for boot in boots { ordinals[ImportedBoot.id(boot.number)] = boot.ordinal }
        for span in try StreamExtents(reader).spans(of: id) {
            guard let ordinal = ordinals[span.boot] else { continue }
            let ticks = span.from.tenths...max(span.from.tenths, span.to.tenths - 1)
            streams[device]?[index].extents.append((ordinal, span.boot, ticks))
        }
    }

    /// Sorts samples by time and keeps the first one of each tenth of a second.
    private static func sorted(_ samples: [ImportedSample]) -> [ImportedSample] {
        let order = samples.enumerated().sorted {
            ($0.element.wall.tenths, $0.offset) < ($1.element.wall.tenths, $1.offset)
        }
        var kept: [ImportedSample] = []
        for (_, sample) in order where kept.last?.wall.tenths != sample.wall.tenths {
            kept.append(sample)
        }
        return kept
    }

    /// Returns the samples that no stream of the source has, by walking along both.
    private func unknown(
        _ samples: [ImportedSample],
        of source: String
    ) throws(StoreError) -> [ImportedSample] {
        try load(source)
        guard let first = samples.first?.wall.tenths, let last = samples.last?.wall.tenths else {
            return []
        }
        var isKnown = [Bool](repeating: false, count: samples.count)
        for stream in streams[source] ?? [] {
            for extent in stream.extents where extent.ticks.overlaps(first...last) {
                let span = HistorySpan(
                    boot: extent.boot,
                    from: Tick(tenths: first),
                    to: Tick(tenths: last + 1)
                )
                let stored = try RawSamples(reader, stream.description.id, [span])
                var index = 0
                while index < samples.count, let sample = try stored.next() {
                    let tick = sample.tick.tenths
                    while index < samples.count, samples[index].wall.tenths < tick { index += 1 }
                    guard index < samples.count, samples[index].wall.tenths == tick else {
                        continue
                    }
                    isKnown[index] = true
                }
            }
        }
        return zip(samples, isKnown).filter { !$0.1 }.map(\.0)
    }
}

extension HistoryImport {
    /// The place of a stream that has all quantities of the samples; made when there is none.
    func stream(for samples: [ImportedSample], of source: String) throws -> Int {
        var quantities: [Quantity] = []
        for value in samples.lazy.flatMap(\.values) where !quantities.contains(value.quantity) {
            quantities.append(value.quantity)
        }
        let known = streams[source] ?? []
        if let index = known.firstIndex(where: { stream in
            quantities.allSatisfy(stream.description.quantities.contains)
        }) {
            return index
        }
        let byteCount = HistoryCatalog.text(quantities).utf8.count + source.utf8.count
        guard quantities.count <= StreamHeads.channelCountMax,
            byteCount <= HistorySchema.streamByteCountMax,
            source.utf8.count <= JournalRecordCodec.textByteLimit
        else { throw ImportError.streamTooLong(source: source) }
        let description = StreamDescription(
            id: try nextID(source),
            device: source,
            quantities: quantities
        )
        counts.streams += 1
        streams[source, default: []].append(Stream(description: description, extents: []))
        return known.count
    }

    /// The number after the last one, or the lowest that is free when there is none.
    private func nextID(_ source: String) throws -> StreamID {
        if lastID < .max {
            lastID += 1
            return StreamID(lastID)
        }
        let used = Set(streams.values.joined().map(\.description.id))
        let all = StreamID.firstImported.rawValue...UInt16.max
        guard let free = all.lazy.map({ StreamID($0) }).first(where: { !used.contains($0) }) else {
            throw ImportError.streamsFull(source: source, count: all.count)
        }
        return free
    }

    /// Passes the samples to the intake that also stores the journal's blocks.
    func write(_ samples: [ImportedSample], to index: Int, of source: String) throws {
        guard let stream = streams[source]?[index], let first = samples.first,
            let last = samples.last
        else { return }
        let ticks = first.wall.tenths...last.wall.tenths
        let (boot, ordinal, isNew) = try boot(for: stream, ticks)
        let quantities = stream.description.quantities
        var encoder = SegmentEncoder(
            decimals: quantities.map(\.decimals),
            startingAt: Tick(tenths: ticks.lowerBound)
        )
        for sample in samples {
            encoder.append(
                ImportedBoot.tick(sample.wall),
                quantities.map { quantity in
                    sample.values.first { $0.quantity == quantity }
                        .map { .value($0.value, $0.quality) } ?? .noData(.unusable)
                }
            )
        }
        var records: [JournalRecord] = isNew ? [.anchor(ImportedBoot.anchor(boot))] : []
        records.append(.stream(stream.description))
        records.append(.samples(stream.description.id, segment: encoder.finished()))
        let payload = JournalRecordCodec.encode(records)
        let intake = try HistoryIntake(connection, rings)
        if intake.streams[stream.description.id] == nil, try !intake.hasPlaceForImport() {
            throw ImportError.streamsFull(source: source, count: intake.places.count)
        }
        try intake.append(JournalBlock(sequence: cursor, boot: boot, payload: payload))
        try intake.finish(cursor: cursor)
        precondition(intake.taken.samples == samples.count, "all that was encoded is taken")
        for ring in HistoryRing.allCases {
            let (count, slots) = intake.allocated(ring)
            allocated[ring, default: 0] += count
            guard ring == .samples else { continue }
            for (key, slots) in slots { recycled[key, default: RecycledSlots()].merge(slots) }
        }
        extend(ticks, in: boot, ordinal, source, index)
    }

    private func extend(
        _ ticks: ClosedRange<Int64>,
        in boot: BootID,
        _ ordinal: UInt32,
        _ source: String,
        _ index: Int
    ) {
        guard let known = streams[source]?[index].extents.last, known.boot == boot else {
            streams[source]?[index].extents.append((ordinal, boot, ticks))
            return
        }
        let count = streams[source]?[index].extents.count ?? 1
        streams[source]?[index].extents[count - 1].ticks =
            known.ticks.lowerBound...ticks.upperBound
    }

    /// The boot that these ticks can follow in: the stream's last, a later one, or a new one.
    private func boot(
        for stream: Stream,
        _ ticks: ClosedRange<Int64>
    ) throws -> (BootID, UInt32, isNew: Bool) {
        let last = stream.extents.last
        let isInOrder = last.map { $0.ticks.upperBound < ticks.lowerBound } ?? true
        let lowest = last.map { isInOrder ? $0.ordinal : $0.ordinal + 1 } ?? 0
        for boot in boots
        where boot.ordinal >= lowest && newestOrdinal - boot.ordinal <= ImportedBoot.ageMax {
            return (ImportedBoot.id(boot.number), boot.ordinal, false)
        }
        guard boots.count < ImportedBoot.countMax else { throw ImportError.tooOftenOutOfOrder }
        let number = (boots.map(\.number).max() ?? 0) + 1
        newestOrdinal += 1
        boots.append((newestOrdinal, number))
        return (ImportedBoot.id(number), newestOrdinal, true)
    }
}

extension HistoryImport {
    /// Whether an import is kept when its closure is done.
    package enum Outcome: Hashable, Sendable {
        case keep
        /// Leaves the history as it was: a dry run, or too much that would go.
        case discard
    }

    private struct Discarded: Error {}

    private static func failure(_ error: SQLiteError) -> any Error { StoreError.database(error) }

    /// Writes samples of other programs, all or none of them.
    ///
    /// In one transaction, so that neither an error nor a power cut leaves half an import. Until it
    /// ends, written pages are in the write-ahead log beside the file, at most as long as the
    /// import. The station must not run: its own samples would wait in the journal meanwhile.
    ///
    /// - Parameters:
    ///   - body: Adds samples and says whether they stay.
    /// - Returns: What `body` made of it.
    /// - Throws: What `body` throws; `ImportError.readOnly`; `StoreError.database`, with
    ///   SQLITE_BUSY (5) when another process has the history open.
    package static func run<Value>(
        into history: History,
        _ body: (HistoryImport) throws -> (value: Value, outcome: Outcome)
    ) throws -> Value {
        guard !history.isReadOnly else { throw ImportError.readOnly }
        defer { for slots in history.rings.values { slots.rest() } }
        var value: Value?
        do {
            // In this mode a transaction begins only when no other process has the file open: a
            // station of an older version, that knows no lock, is found as well.
            try history.connection.setPragma("locking_mode", .text("EXCLUSIVE"))
            try history.connection.transaction(
                .immediate,
                wrapping: Self.failure
            ) { () throws(any Error) in
                // Read now: another process may have written since this was opened.
                let cursor = try HistoryCatalog(connection: history.connection).number("cursor")
                let session = try HistoryImport(history.connection, history.rings, cursor: cursor)
                let (made, outcome) = try body(session)
                for slots in history.rings.values { slots.rest() }
                value = made
                if outcome == .discard { throw Discarded() }
            }
        } catch let error as SQLiteError {
            throw StoreError.database(error)
        } catch is Discarded {}
        guard let value else { preconditionFailure("the body ran to its end") }
        return value
    }
}
