import Core
import SQLite

/// Turns journal blocks into slots and rows; lives within one transaction.
final class HistoryIntake {
    var taken = HistoryTaken()

    let connection: Connection
    let catalogue: HistoryCatalog
    var numbers: [String: Int64] = [:]
    let places: StreamPlaces
    var streams: [StreamID: HistoryCatalog.Stream] { places.streams }
    var ordinals: [BootID: UInt32] = [:]
    let chains: HistoryChains
    /// The last moment that a record named.
    private var latest = HistoryPosition(boot: 0, tick: Tick(tenths: 0))
    /// The block that is taken; 0 for records without one.
    private var sequence: UInt64 = 0
    private var intakes: [StreamID: StreamIntake] = [:]
    /// Writers of streams that lost their newest slots; see `JournalReplay`.
    var retakers: [StreamID: SampleWriter] = [:]
    private(set) lazy var events = EventWriter(chains)

    init(_ connection: Connection, _ rings: [HistoryRing: HistorySlots]) throws(StoreError) {
        self.connection = connection
        catalogue = HistoryCatalog(connection: connection)
        let known: [HistoryCatalog.Stream]
        let streamCount: Int
        do {
            for name in HistorySchema.numbers + HistoryRing.allCases.map(\.table) {
                numbers[name] = try catalogue.number(name)
            }
            known = try catalogue.streams()
            streamCount = try catalogue.streamCount()
            for boot in try catalogue.boots() { ordinals[boot.id] = boot.ordinal }
        } catch { throw .database(error) }
        places = StreamPlaces(known, count: streamCount)
        chains = HistoryChains(catalogue, rings, heads: numbers, places.streams)
    }

    /// Slots given out of a ring so far, and their earlier contents.
    func allocated(_ ring: HistoryRing) -> (count: Int, recycled: [SlotKey: RecycledSlots]) {
        chains.allocated(ring)
    }

    func append(_ block: JournalBlock) throws(StoreError) {
        let contents = JournalRecordCodec.contents(block.payload)
        if contents.fault != nil { taken.damagedBlocks += 1 }
        let boot = try ordinal(of: block.boot)
        sequence = block.sequence
        for record in contents.records { try append(record, boot) }
    }

    func append(_ record: JournalRecord, in boot: BootID) throws(StoreError) {
        try append(record, try ordinal(of: boot))
    }

    /// Writes what is still in memory, and the journal's position.
    func finish(cursor: UInt64) throws(StoreError) {
        for event in places.marks(ordinals, at: latest) {
            try events.append(event, boot: latest.boot)
        }
        for stream in retakers.keys.sorted() { try retakers[stream]?.close() }
        for intake in intakes.values.sorted(by: { $0.id < $1.id }) { try intake.finish() }
        try chains.finish()
        for (name, head) in chains.ringHeads { numbers[name] = Int64(head) }
        numbers["cursor"] = Int64(bitPattern: cursor)
        let changed = numbers
        try database { () throws(SQLiteError) in
            for (name, value) in changed.sorted(by: { $0.key < $1.key }) {
                try connection.execute(
                    "UPDATE numbers SET value = ? WHERE name = ? AND value <> ?",
                    value,
                    name,
                    value
                )
            }
        }
    }

    func append(_ record: JournalRecord, _ boot: UInt32) throws(StoreError) {
        remember(record, boot)
        switch record {
        case .started(let tick, let version): try start(boot, tick, version)
        case .stopped(let tick):
            let run = place(of: numbers["run"] ?? 0, among: HistorySchema.bootCountMax)
            try database { () throws(SQLiteError) in
                try connection.execute(
                    "UPDATE runs SET stopped = ? WHERE place = ? AND boot = ?",
                    tick.tenths,
                    run,
                    Int64(boot)
                )
            }
        case .stream(let description): try describe(description)
        case .schedule(let stream, let tick, let interval):
            try schedule(stream, boot, tick, interval)
        case .samples(let stream, let segment): try samples(stream, boot, segment)
        case .event(let event):
            try events.append(event, boot: boot)
            taken.events += 1
        case .anchor(let anchor): try keep(anchor)
        case .cursor(let cursor): try keep(cursor, of: sequence)
        }
    }

    private func samples(
        _ stream: StreamID,
        _ boot: UInt32,
        _ segment: [UInt8]
    ) throws(StoreError) {
        // The block that names it is lost: its samples are kept under the name `unnamed-` and its
        // id.
        if streams[stream] == nil, let made = StreamDescription(unnamed: stream, segment) {
            try describe(made)
        }
        guard let known = streams[stream] else {
            taken.samplesWithoutPlace += places.giveUp(segment, of: stream, in: boot)
            return
        }
        let intake: StreamIntake
        if let open = intakes[stream] {
            intake = open
        } else {
            intake = try StreamIntake(known, chains)
            intakes[stream] = intake
        }
        guard var decoder = try? SegmentDecoder(segment, decimals: known.decimals) else {
            taken.damagedSegments += 1
            return
        }
        while true {
            let next: (Tick, [Outcome])?
            do { next = try decoder.next() } catch {
                taken.damagedSegments += 1
                return
            }
            guard let (tick, outcomes) = next else { return }
            try intake.append(boot, tick, outcomes)
            taken.samples += 1
        }
    }

    func describe(_ description: StreamDescription) throws(StoreError) {
        let known = streams[description.id]
        guard known?.description != description else { return }
        // A stream's channels are part of what it is; only names and units may be corrected.
        if let known, !known.description.canBecome(description) { return }
        let text = HistoryCatalog.text(description.quantities)
        let byteCount = text.utf8.count + description.device.utf8.count
        guard byteCount <= HistorySchema.streamByteCountMax else { return }
        var row = known?.place
        if row == nil { row = try place(for: description) }
        guard let place = row else { return }
        let pad = [UInt8](repeating: 0, count: HistorySchema.streamByteCountMax - byteCount)
        try database { () throws(SQLiteError) in
            try connection.execute(
                "UPDATE streams SET id = ?, device = ?, quantities = ?, pad = ? WHERE place = ?",
                Int(description.id.rawValue),
                description.device,
                text,
                pad,
                place
            )
        }
        let stream = HistoryCatalog.Stream(place: place, description: description)
        places.insert(stream)
        chains.know(stream)
    }

    /// A place for a new stream: a free one, or that of a stream that is gone from the rings.
    private func place(for description: StreamDescription) throws(StoreError) -> Int? {
        if let free = places.free() { return free }
        guard let gone = try nextGone() else {
            places.miss(description)
            return nil
        }
        let id = gone.description.id
        try database { () throws(SQLiteError) in
            // Numbers of streams are used again when there are no others.
            try connection.execute(
                "UPDATE schedules SET number = 0 WHERE number > 0 AND stream = ?",
                Int(id.rawValue)
            )
        }
        chains.forget(gone)
        places.release(gone)
        taken.recycled.append(id)
        return gone.place
    }

    private func nextGone() throws(StoreError) -> HistoryCatalog.Stream? {
        try places.nextGone { (stream) throws(StoreError) in try end(ofGone: stream) }
    }

    /// The end of a stream without slots; no record of this transaction belongs to it.
    private func end(
        ofGone stream: HistoryCatalog.Stream
    ) throws(StoreError) -> HistoryPosition? {
        guard intakes[stream.description.id] == nil else { return nil }
        return try chains.end(ofGone: stream)
    }

    /// Remembers the last moment that a record named; an anchor may be another boot's.
    private func remember(_ record: JournalRecord, _ boot: UInt32) {
        if case .anchor = record { return }
        guard let tick = record.tick else { return }
        latest = max(latest, HistoryPosition(boot: boot, tick: tick))
    }

    /// Whether a new stream would leave the station places enough.
    func hasPlaceForImport() throws(StoreError) -> Bool {
        let wanted = places.reserve + 1
        let room = try places.room(atLeast: wanted) { (stream) throws(StoreError) in
            try end(ofGone: stream)
        }
        return room >= wanted
    }

    /// Whether a block has samples, or names a stream, for which there is no place.
    func lacksPlaces(for block: JournalBlock) throws(StoreError) -> Bool {
        guard !places.hasRoom else { return false }
        let missing = places.missing(in: JournalRecordCodec.contents(block.payload).records)
        guard !missing.isEmpty else { return false }
        let room = try places.room(atLeast: missing.count) { (stream) throws(StoreError) in
            try end(ofGone: stream)
        }
        guard room < missing.count else { return false }
        taken.placeless = missing
        return true
    }
}

extension HistoryIntake {
    private func database<Value>(
        _ body: () throws(SQLiteError) -> Value
    ) throws(StoreError) -> Value {
        do { return try body() } catch { throw .database(error) }
    }

    /// The row of the `number`-th entry of a table that is a ring.
    private func place(of number: Int64, among count: Int) -> Int {
        number > 0 ? Int((number - 1) % Int64(count)) + 1 : 0
    }

    private func next(_ name: String) -> Int64 {
        let value = (numbers[name] ?? 0) + 1
        numbers[name] = value
        return value
    }

    func ordinal(of boot: BootID) throws(StoreError) -> UInt32 {
        if let known = ordinals[boot] { return known }
        let number = next("boot")
        let row = place(of: number, among: HistorySchema.bootCountMax)
        let anchors = (row - 1) * HistorySchema.anchorsPerBoot
        try database { () throws(SQLiteError) in
            try connection.execute(
                "UPDATE boots SET boot = ?, id = ? WHERE place = ?",
                number,
                boot.bytes,
                row
            )
            try connection.execute(
                "UPDATE anchors SET boot = 0 WHERE place > ? AND place <= ? AND boot > 0",
                anchors,
                anchors + HistorySchema.anchorsPerBoot
            )
        }
        let ordinal = UInt32(truncatingIfNeeded: number)
        ordinals[boot] = ordinal
        return ordinal
    }

    /// A known run is recorded again by a journal that may be opened without its history.
    private func start(_ boot: UInt32, _ tick: Tick, _ version: String) throws(StoreError) {
        let known: Int? = try database { () throws(SQLiteError) in
            try connection.scalar(
                "SELECT place FROM runs WHERE run > 0 AND boot = ? AND started = ? LIMIT 1",
                Int64(boot),
                tick.tenths
            )
        }
        guard known == nil else { return }
        let number = next("run")
        let row = place(of: number, among: HistorySchema.bootCountMax)
        let kept = String(version.prefix(HistorySchema.versionCountMax))
        try database { () throws(SQLiteError) in
            try connection.execute(
                """
                UPDATE runs SET run = ?, boot = ?, started = ?, stopped = NULL, version = ?
                WHERE place = ?
                """,
                number,
                Int64(boot),
                tick.tenths,
                kept,
                row
            )
        }
    }

    /// Stores a schedule unless it equals the stream's last one in this boot.
    private func schedule(
        _ stream: StreamID,
        _ boot: UInt32,
        _ tick: Tick,
        _ interval: Duration?
    ) throws(StoreError) {
        let tenths = interval.map { max(1, $0.wholeNanoseconds / 100_000_000) }
        if let known = streams[stream] {
            if let open = intakes[stream] {
                open.interval = tenths
            } else {
                try chains.change(known.place) { $0.interval = tenths }
            }
        }
        let before: Int64? = try database { () throws(SQLiteError) in
            try connection.scalar(
                """
                SELECT interval FROM schedules WHERE number > 0 AND stream = ? AND boot = ?
                ORDER BY number DESC LIMIT 1
                """,
                Int(stream.rawValue),
                Int64(boot)
            )
        }
        guard before != tenths ?? 0 else { return }
        let number = next("schedule")
        let row = place(of: number, among: HistorySchema.scheduleCountMax)
        try database { () throws(SQLiteError) in
            try connection.execute(
                """
                UPDATE schedules SET number = ?, stream = ?, boot = ?, start = ?, interval = ?
                WHERE place = ?
                """,
                number,
                Int(stream.rawValue),
                Int64(boot),
                tick.tenths,
                tenths ?? 0,
                row
            )
        }
    }

    /// Puts a cursor in the place of an older one of its name.
    ///
    /// A seventeenth name is left out: the station refuses it before.
    func keep(_ cursor: StoreCursor, of block: UInt64) throws(StoreError) {
        try database { () throws(SQLiteError) in
            try HistoryCursors(connection: connection).write(cursor, of: block)
        }
    }

    /// The first and the last of a boot, unsure ones and sure ones apart, of each the most trusted.
    private func keep(_ anchor: ClockAnchor) throws(StoreError) {
        let boot = try ordinal(of: anchor.boot)
        let row = place(of: Int64(boot), among: HistorySchema.bootCountMax)
        let first = (row - 1) * HistorySchema.anchorsPerBoot + (anchor.isTrusted ? 3 : 1)
        try database { () throws(SQLiteError) in
            let known: Int64? = try connection.scalar(
                "SELECT trusted FROM anchors WHERE place = ? AND boot = ?",
                first,
                Int64(boot)
            )
            let rank = known.map { ClockTrust(stored: UInt64(bitPattern: $0)).rank } ?? -1
            // Those that are trusted less date nothing.
            guard rank <= anchor.trust.rank else { return }
            if known != nil, rank < anchor.trust.rank {
                try connection.execute("UPDATE anchors SET boot = 0 WHERE place = ?", first + 1)
            }
            try connection.execute(
                """
                UPDATE anchors SET boot = ?, tick = ?, wall = ?, trusted = ? WHERE place = ?
                """,
                Int64(boot),
                anchor.tick.tenths,
                anchor.wall.nanoseconds,
                Int64(anchor.trust.rawValue),
                rank == anchor.trust.rank ? first + 1 : first
            )
        }
    }
}
