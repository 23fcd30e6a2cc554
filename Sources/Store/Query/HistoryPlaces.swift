import Core

/// Reads a history from a place on, batch after batch, for followers that keep the place.
///
/// History and tail together, as `HistoryReader` has them. A batch holds the read lock for single
/// steps only.
package struct HistoryPlaces {
    /// Samples of one stream that follow a place.
    package struct Samples: Hashable, Sendable {
        /// The samples in the order of their ticks; all rows of one tick are in one batch.
        package fileprivate(set) var samples: [BootSample] = []
        /// The place of the last, or that asked for when there is none.
        package fileprivate(set) var next: SamplePosition?
        /// Whether the limit, or a cancellation, ended it.
        package fileprivate(set) var hasMore = false
        /// The place names a boot that is not known: it was lost with the power, or forgotten.
        package fileprivate(set) var isLost = false
    }

    private let reader: HistoryReader

    package init(_ reader: HistoryReader) { self.reader = reader }

    // MARK: Samples

    /// The samples of a stream that follow a place.
    ///
    /// - Parameters:
    ///   - stream: The stream; one that is not known has no samples.
    ///   - place: The last that the caller has; nil begins with the oldest.
    ///   - limit: Samples at most, ≥ 1, and those of the last tick.
    /// - Returns: The batch; an earlier end when the task is cancelled.
    package func samples(
        of stream: StreamID,
        after place: SamplePosition?,
        limit: Int
    ) throws(StoreError) -> Samples {
        var batch = Samples(next: place)
        guard let spans = try spans(of: stream, after: place) else {
            batch.isLost = true
            return batch
        }
        let source = try RawSamples(reader, stream, spans)
        while let sample = try source.next() {
            let isNew = batch.samples.last.map { $0.boot != sample.boot || $0.tick != sample.tick }
            if isNew ?? false, batch.samples.count >= limit || Task.isCancelled {
                batch.hasMore = true
                break
            }
            batch.samples.append(sample)
        }
        if let last = batch.samples.last {
            batch.next = SamplePosition(stream: stream, boot: last.boot, tick: last.tick)
        }
        return batch
    }

    /// The first sample of a stream that is still there; nil without any.
    package func oldest(of stream: StreamID) throws(StoreError) -> SamplePosition? {
        try StreamExtents(reader).spans(of: stream).first.map {
            SamplePosition(stream: stream, boot: $0.boot, tick: $0.from)
        }
    }

    /// The last sample of a stream; nil without any.
    package func newest(of stream: StreamID) throws(StoreError) -> SamplePosition? {
        try StreamExtents(reader).spans(of: stream).last.map {
            SamplePosition(stream: stream, boot: $0.boot, tick: Tick(tenths: $0.to.tenths - 1))
        }
    }

    /// How many samples a stream has, with values or without, after one place up to another.
    ///
    /// Whole slots are counted by their headers; only those at the ends are read.
    ///
    /// - Parameters:
    ///   - place: Not counted itself; nil begins with the oldest.
    ///   - end: Counted itself; nil counts to the newest.
    /// - Returns: The count; nil when a place names a boot that is not known.
    package func count(
        of stream: StreamID,
        after place: SamplePosition? = nil,
        through end: SamplePosition? = nil
    ) throws(StoreError) -> Int? {
        defer { reader.rest() }
        let ordinals = try reader.ordinals()
        guard let from = Self.position(place, ordinals, orElse: .first),
            let to = Self.position(end, ordinals, orElse: .last),
            let spans = try spans(of: stream, after: place)
        else { return nil }
        var (count, last): (Int, HistoryPosition?) = (0, nil)
        if let known = try reader.stream(stream),
            let newest = try reader.chain(.samples, SlotKey(stream), place: known.place)
        {
            let start = (newest.slot, newest.header)
            var current: (slot: Int, header: SlotHeader)? = try newest.chain.find(from, from: start)
            while let (slot, header) = current, header.first <= to {
                if header.first > from, header.last <= to {
                    count += Int(header.count)
                } else {
                    count += try rows(in: slot, known, after: from, through: to)
                }
                last = header.last
                current = try newest.chain.later(than: header)
            }
        }
        let part = RawSamples.Part.tail(after: last, try reader.cursor())
        let stored = try reader.stream(stream)
        let source = RawSamples(reader, stored, ordinals, spans, of: stream, part)
        while let sample = try source.next() {
            guard let boot = ordinals[sample.boot] else { continue }
            let position = HistoryPosition(boot: boot, tick: sample.tick)
            if position > from, position <= to { count += 1 }
        }
        return count
    }

    private func rows(
        in slot: Int,
        _ stream: HistoryCatalog.Stream,
        after from: HistoryPosition,
        through to: HistoryPosition
    ) throws(StoreError) -> Int {
        let read = try reader.slots(.samples).read(slot)
        var count = 0
        for section in SampleSection.all(in: read.payload) {
            let first = HistoryPosition(boot: section.boot, tick: section.first)
            let last = HistoryPosition(boot: section.boot, tick: section.last)
            if first > from, last <= to {
                count += section.count
                continue
            }
            guard first <= to, last > from else { continue }
            let bytes = Array(read.payload[section.segment])
            var rows = SegmentRows()
            guard
                var decoder = try? SegmentDecoder(
                    bytes,
                    decimals: stream.decimals,
                    isTimesOnly: true
                )
            else { continue }
            while (try? decoder.nextRows(into: &rows)) == true {
                for row in 0..<rows.count {
                    let position = HistoryPosition(boot: section.boot, tick: rows.tick(row))
                    if position > from, position <= to { count += 1 }
                }
            }
        }
        return count
    }

    /// Returns all spans from a position on; nil when its boot is not known.
    private func spans(
        of stream: StreamID,
        after place: SamplePosition?
    ) throws(StoreError) -> [HistorySpan]? {
        guard let place else { return try StreamExtents(reader).spans(of: stream) }
        let boots = try reader.boots()
        guard let index = boots.firstIndex(where: { $0.id == place.boot }) else { return nil }
        return boots[index...].map { boot in
            let from = boot.id == place.boot ? place.tick.tenths.addingClamped(1) : .min
            return HistorySpan(boot: boot.id, from: Tick(tenths: from), to: .end)
        }
    }

    private enum Edge { case first, last }

    private static func position(
        _ place: SamplePosition?,
        _ ordinals: [BootID: UInt32],
        orElse edge: Edge
    ) -> HistoryPosition? {
        guard let place else {
            let tick = Tick(tenths: edge == .first ? .min : .max)
            return HistoryPosition(boot: edge == .first ? 0 : .max, tick: tick)
        }
        return ordinals[place.boot].map { HistoryPosition(boot: $0, tick: place.tick) }
    }

    // MARK: Times

    /// Returns the clock that dates the places of this history; made once for many.
    package func clock() throws -> ClockAnchors {
        ClockAnchors(runs: try NodeRuns.all(in: reader), anchors: try reader.anchors())
    }
}

extension ClockAnchors {
    /// When a place was; nil while no trusted anchor dates its boot.
    package func wall(of place: SamplePosition) -> WallTime? {
        guard let time = time(place.boot, place.tick), time.isSure else { return nil }
        return time.wall
    }
}
