import Core

/// A stretch of time whose samples are missing for a reason that no sample records.
///
/// Kept as an event, so that people meet it in `roost events`, and the ledger reads it there. It is
/// forgotten with that event: the time is unexplained again then.
package struct GapMark: Hashable, Sendable {
    /// A tick of a boot.
    package struct Place: Hashable, Sendable {
        package let boot: BootID
        package let tick: Tick

        package init(_ boot: BootID, _ tick: Tick) { (self.boot, self.tick) = (boot, tick) }
    }

    package let cause: GapCause
    /// Stream whose samples are missing; nil for all streams.
    package let stream: StreamID?
    package let from: Place
    package let to: Place
    /// Samples known to be lost in it.
    package let lost: Int
    /// The stream of the samples, where the history does not know it.
    package var device: String?

    package init(_ cause: GapCause, of stream: StreamID?, from: Place, to: Place, lost: Int = 0) {
        (self.cause, self.stream, self.from, self.to) = (cause, stream, from, to)
        self.lost = lost
    }

    /// The mark as it counts for a stream: a missing sample covers the interval before it.
    package func reaching(back tenths: Int64) -> GapMark {
        switch cause {
        case .suspended, .driverStopped, .noPlace: break
        case .damaged where stream == nil: break
        default: return self
        }
        let start = Place(from.boot, Tick(tenths: max(0, from.tick.tenths - tenths)))
        // The last of many that found no place speaks for the time until the next would be due.
        let end = cause == .noPlace ? Place(to.boot, Tick(tenths: to.tick.tenths + tenths)) : to
        return GapMark(cause, of: stream, from: start, to: end, lost: lost)
    }

    /// The mark that an event holds; nil when the event is another one.
    package init?(_ stored: BootEvent) {
        guard case .samplesMissing(let missing) = stored.event.kind else { return nil }
        self.init(
            missing.cause,
            of: missing.stream,
            from: Place(missing.fromBoot ?? stored.boot, missing.from),
            to: Place(missing.toBoot ?? stored.boot, missing.to),
            lost: missing.count
        )
        device = missing.device
    }

    /// The event that carries it.
    ///
    /// - Parameters:
    ///   - boot: The boot of that instant.
    /// - Returns: An event that `init(_:)` reads back.
    package func event(at instant: MonotonicInstant, in boot: BootID) -> Event {
        var missing = MissingSamples(cause, of: stream, from: from.tick, to: to.tick)
        (missing.count, missing.device) = (lost, device)
        missing.fromBoot = from.boot == boot ? nil : from.boot
        missing.toBoot = to.boot == boot ? nil : to.boot
        return Event(at: instant, missing)
    }
}

/// Marks of one stream, handed out in the order of the timeline.
package struct GapMarks {
    /// Marks that are kept; beyond it the oldest are dropped, and their time is unexplained.
    package static let countMax = 4_096

    private var waiting: ArraySlice<(order: GapLedgerTimeline.Order, mark: GapMark)>

    /// Reads all marks that the history's events carry.
    package static func all(in reader: HistoryReader) throws(StoreError) -> [GapMark] {
        try HistoryEvents(reader).newest(countMax, where: { GapMark($0) != nil })
            .compactMap { GapMark($0) }
    }

    /// The known streams, and those without a place in the history that marks alone name.
    ///
    /// A mark also names a stream whose samples wait in the journal without a description.
    static func streams(
        _ marks: [GapMark],
        and known: [StreamDescription]
    ) -> [StreamDescription] {
        var names: [StreamID: String] = [:]
        for mark in marks where mark.cause == .noPlace {
            guard let id = mark.stream else { continue }
            let unnamed = StreamDescription.unnamed(id)
            if names[id] ?? unnamed == unnamed { names[id] = mark.device ?? unnamed }
        }
        let lost = Quantity(name: "all channels", unit: "", decimals: 0)
        let placeless = names.filter { id, _ in !known.contains { $0.id == id } }
        return known.map { stream in
            guard stream.isUnnamed, let device = names[stream.id] else { return stream }
            return StreamDescription(id: stream.id, device: device, quantities: stream.quantities)
        }
            + placeless.sorted { $0.key < $1.key }.map { id, device in
                StreamDescription(id: id, device: device, quantities: [lost])
            }
    }

    package init(_ marks: [GapMark], of stream: StreamID, along timeline: GapLedgerTimeline) {
        waiting =
            marks.enumerated()
            .filter { $1.stream == nil || $1.stream == stream }
            .map { (timeline.order($1.from.boot, $1.from.tick), $0, $1) }
            .sorted { ($0.0, $0.1) < ($1.0, $1.1) }
            .map { (order: $0.0, mark: $0.2) }[...]
    }

    package var isEmpty: Bool { waiting.isEmpty }

    /// Where the next begins; nil after the last.
    var nextOrder: GapLedgerTimeline.Order? { waiting.first?.order }

    /// The next that begins at a place or before.
    package mutating func next(upTo order: GapLedgerTimeline.Order) -> GapMark? {
        guard let first = waiting.first, first.order <= order else { return nil }
        waiting.removeFirst()
        return first.mark
    }
}
