import Glibc
import Readings
import SQLite

/// The small tables of a history, remembered in case it has to be replaced.
///
/// The journal names a stream once, when it is new, and that block is long gone; without this, a
/// new history would not know whose samples the journal holds. Bound: that of the tables.
struct HistoryKeepsake: Sendable {
    /// In the order they happened.
    var boots: [BootID] = []
    var streams: [StreamDescription] = []
    var runs: [StoredRun] = []
    var schedules: [StoredSchedule] = []
    var anchors: [ClockAnchor] = []
    var settings: [String: String] = [:]

    /// Reads what can be read; of a table that cannot, what was known before stays.
    ///
    /// - Returns: Why the first table that cannot be read cannot.
    @discardableResult
    mutating func refresh(_ connection: Connection) -> SQLiteError? {
        let catalogue = HistoryCatalogue(connection: connection)
        var trouble: SQLiteError?
        func read<Rows: Collection>(_ rows: () throws(SQLiteError) -> Rows) -> Rows? {
            do throws(SQLiteError) {
                let read = try rows()
                return read.isEmpty ? nil : read
            } catch {
                trouble = trouble ?? error
                return nil
            }
        }
        if let read = read(catalogue.boots) { boots = read.map(\.id) }
        if let read = read(catalogue.streams) { streams = read.map(\.description) }
        if let read = read(catalogue.runs) { runs = read }
        if let read = read(catalogue.schedules) { schedules = read }
        if let read = read(catalogue.anchors) { anchors = read }
        if let read = read(catalogue.settings) { settings = read }
        return trouble
    }

    /// What a damaged file at `path` still says.
    static func salvaged(from path: String) -> HistoryKeepsake {
        var keepsake = HistoryKeepsake()
        // A pipe would wait for a writer, a folder in place of the shared memory for ten seconds.
        let areFiles = ["", "-wal", "-journal", "-shm"].allSatisfy { suffix in
            var status = stat()
            guard lstat(path + suffix, &status) == 0 else { return !suffix.isEmpty }
            return status.st_mode & S_IFMT == S_IFREG
        }
        guard areFiles else { return keepsake }
        guard let connection = try? Connection(path, mode: .readOnly) else { return keepsake }
        keepsake.refresh(connection)
        try? connection.close()
        return keepsake
    }

    /// The records that tell a new history what the journal will not tell again, oldest first, and
    /// which time is lost.
    ///
    /// - Parameter journal: What the ring still holds.
    /// - Returns: Records in their order, with the boot of each.
    func records(before journal: JournalOutline) -> [(boot: BootID, record: JournalRecord)] {
        let order = order(before: journal)
        guard let oldest = order.first else { return [] }
        var records = streams.map { (boot: oldest, record: JournalRecord.stream($0)) }
        for run in runs where !journal.starts.contains(GapMark.Place(run.boot, run.started)) {
            records.append((run.boot, .started(at: run.started, version: run.version)))
            guard let stopped = run.stopped else { continue }
            records.append((run.boot, .stopped(at: stopped)))
        }
        let schedules = schedules.map {
            ($0.boot, JournalRecord.schedule($0.stream, from: $0.from, interval: $0.interval))
        }
        let anchors = anchors.map { ($0.boot, JournalRecord.anchor($0)) }
        for (boot, record) in schedules + anchors where !journal.records.contains(record) {
            records.append((boot, record))
        }
        if let mark = lost(since: oldest, before: journal) {
            let event = mark.event(at: mark.to.tick.instant, in: mark.to.boot)
            records.append((mark.to.boot, .event(event)))
        }
        // Boots are numbered in the order they are met.
        return order.flatMap { boot in records.filter { $0.boot == boot } }
    }

    /// All boots that anything is known of, the oldest first as far as that can be said.
    private func order(before journal: JournalOutline) -> [BootID] {
        let mine = runs.map(\.boot) + schedules.map(\.boot) + anchors.map(\.boot)
        let told = Set(mine + journal.boots)
        var order = boots.filter(told.contains)
        for boot in mine + journal.boots where !order.contains(boot) { order.append(boot) }
        return order
    }

    /// From the oldest boot known to what the ring still holds.
    private func lost(since oldest: BootID, before journal: JournalOutline) -> GapMark? {
        guard let end = journal.firstSample ?? journal.end else { return nil }
        let start = runs.first { $0.boot == oldest }?.started ?? Tick(tenths: 0)
        let from = GapMark.Place(oldest, start)
        guard from.boot != end.boot || from.tick < end.tick else { return nil }
        return GapMark(.damaged, of: nil, from: from, to: end)
    }
}

/// What a journal's blocks tell, but for the samples themselves.
struct JournalOutline {
    /// In their order.
    private(set) var boots: [BootID] = []
    private(set) var starts: Set<GapMark.Place> = []
    /// Schedules and anchors.
    private(set) var records: Set<JournalRecord> = []
    /// The latest first sample of the streams in the oldest block that has samples.
    private(set) var firstSample: GapMark.Place?
    /// The last moment named by anything but a sample.
    private(set) var end: GapMark.Place?

    /// Takes the blocks in the order of their sequence.
    mutating func take(_ block: JournalBlock) {
        if boots.last != block.boot, !boots.contains(block.boot) { boots.append(block.boot) }
        let hasSamples = firstSample != nil
        for record in JournalRecordCodec.contents(block.payload).records {
            switch record {
            case .started(let tick, _):
                starts.insert(GapMark.Place(block.boot, tick))
                end = GapMark.Place(block.boot, tick)
            case .schedule, .anchor: records.insert(record)
            case .event(let event): end = GapMark.Place(block.boot, Tick(event.instant))
            case .samples(_, let segment):
                guard !hasSamples, let tenths = (try? SegmentHeader(segment))?.start else {
                    continue
                }
                let tick = max(firstSample?.tick ?? Tick(tenths: tenths), Tick(tenths: tenths))
                firstSample = GapMark.Place(block.boot, tick)
            case .stopped, .stream: continue
            }
        }
    }
}
