import Core
import SQLite

/// Reads one channel of a history in equal steps.
package struct HistorySeries {
    private let reader: HistoryReader

    package init(_ reader: HistoryReader) { self.reader = reader }

    /// Reads one channel in equal steps, from the coarsest rollup that is fine enough.
    ///
    /// A bucket counts whole in the step it begins in. Where the rings no longer reach back, the
    /// next coarser one answers.
    ///
    /// - Parameters:
    ///   - stream: The stream; one that is not known gives empty points.
    ///   - channel: Its place in the stream.
    ///   - spans: Oldest first, with offsets on one axis.
    ///   - points: How many, 1…`HistoryPoint.countMax`.
    /// - Returns: The steps in order, the empty ones too.
    package func points(
        _ stream: StreamID,
        channel: Int,
        _ spans: [HistorySpan],
        points: Int
    ) throws(StoreError) -> [HistoryPoint] {
        try self.points(stream, channel: channel, spans, points: points, from: nil)
    }

    /// Reads one channel in the steps of an axis; see `points(_:channel:_:points:)`.
    package func points(
        _ stream: StreamID,
        channel: Int,
        along axis: HistoryAxis
    ) throws(StoreError) -> [HistoryPoint] {
        try points(stream, channel: channel, axis.spans, points: axis.points, from: axis.tier)
    }

    /// Hands out the buckets of a tier that begin within the spans, in order, the empty ones left
    /// out.
    ///
    /// Where the ring of the tier no longer reaches back, the next coarser one answers. Holds
    /// `chunk` buckets at a time.
    ///
    /// - Parameters:
    ///   - channel: Its place in the stream.
    ///   - spans: Oldest first; their offsets do not count.
    ///   - body: Gets each with its boot and the tick that it begins at.
    package func eachBucket(
        _ stream: StreamID,
        channel: Int,
        _ spans: [HistorySpan],
        of tier: RollupTier,
        _ body: (BootID, Tick, RollupBucket) -> Void
    ) throws(StoreError) {
        let grain = tier.tenths
        for span in spans {
            var index = span.from.tenths.flooredDivision(by: grain)
            let last = (span.to.tenths - 1).flooredDivision(by: grain)
            while index <= last {
                // Every piece begins where a bucket of all tiers does: none is in two.
                let end = (index.flooredDivision(by: Self.chunk) + 1) * Self.chunk
                let count = min(end, last + 1) - index
                let part = HistorySpan(
                    boot: span.boot,
                    from: Tick(tenths: index * grain),
                    to: Tick(tenths: (index + count) * grain)
                )
                let points = try points(
                    stream,
                    channel: channel,
                    [part],
                    points: Int(count),
                    from: tier
                )
                for point in points where point.bucket != RollupBucket() {
                    body(span.boot, Tick(tenths: part.from.tenths + point.offset), point.bucket)
                }
                index += count
            }
        }
    }

    /// A multiple of the buckets of each tier in one of the coarsest.
    private static var chunk: Int64 { 2_160 }

    /// Reads from the named tier, else from the coarsest that is no coarser than a step.
    func points(
        _ stream: StreamID,
        channel: Int,
        _ spans: [HistorySpan],
        points: Int,
        from wanted: RollupTier?
    ) throws(StoreError) -> [HistoryPoint] {
        guard let first = spans.first, let last = spans.last else { return [] }
        defer { reader.rest() }
        let origin = first.offset
        let length = last.offset + last.to.tenths - last.from.tenths - origin
        let count = Int64(min(max(points, 1), HistoryPoint.countMax))
        let width = max(1, (length + count - 1) / count)
        var cells = HistoryCells(origin: origin, length: length, width: width)
        let ordinals = try reader.ordinals()
        if let known = try reader.stream(stream), channel < known.decimals.count {
            let tier = wanted ?? RollupTier.allCases.last { $0.tenths <= width }
            for span in spans {
                guard let boot = ordinals[span.boot] else { continue }
                let question = Question(stream: known, channel: channel, boot: boot, span: span)
                try fill(&cells, question, tier)
            }
        }
        if reader.tail.segments.contains(where: { $0.stream == stream }) {
            try fillFromTail(&cells, stream, channel, spans)
        }
        return cells.points
    }

    struct Question {
        let stream: HistoryCatalog.Stream
        let channel: Int
        let boot: UInt32
        var span: HistorySpan
    }

    /// Fills cells from a tier, or from the samples when no tier is fine enough.
    func fill(
        _ cells: inout HistoryCells,
        _ question: Question,
        _ tier: RollupTier?
    ) throws(StoreError) {
        let ring = tier.map { HistoryRing($0) } ?? .samples
        let key = SlotKey(
            question.stream.description.id,
            channel: tier == nil ? 0 : question.channel
        )
        guard let newest = try reader.chain(ring, key, place: question.stream.place) else { return }
        let start = tier.map {
            question.span.from.tenths.flooredDivision(by: $0.tenths) * $0.tenths
        }
        let from = HistoryPosition(
            boot: question.boot,
            tick: Tick(tenths: start ?? question.span.from.tenths)
        )
        let found = try newest.chain.find(from, from: (newest.slot, newest.header))
        var rest = question
        if found.header.first > from, found.header.depth > 1,
            let coarser = RollupTier(rawValue: (tier?.rawValue ?? -1) + 1)
        {
            rest.span = try older(&cells, question, than: found.header.first, coarser)
        }
        guard rest.span.from < rest.span.to else { return }
        if let tier {
            try fill(&cells, rest, tier, newest.chain, found)
        } else {
            try fillFromSamples(&cells, rest)
        }
    }

    /// Fills the time before `cut` from a coarser tier.
    ///
    /// - Returns: The rest of the span.
    private func older(
        _ cells: inout HistoryCells,
        _ question: Question,
        than cut: HistoryPosition,
        _ coarser: RollupTier
    ) throws(StoreError) -> HistorySpan {
        let span = question.span
        var end = span.to
        if cut.boot == question.boot {
            let index = (cut.tick.tenths + coarser.tenths - 1).flooredDivision(by: coarser.tenths)
            end = min(max(Tick(tenths: index * coarser.tenths), span.from), span.to)
        }
        var part = question
        part.span = HistorySpan(boot: span.boot, from: span.from, to: end, offset: span.offset)
        try fill(&cells, part, coarser)
        let offset = span.offset + end.tenths - span.from.tenths
        return HistorySpan(boot: span.boot, from: end, to: span.to, offset: offset)
    }

    private func fill(
        _ cells: inout HistoryCells,
        _ question: Question,
        _ tier: RollupTier,
        _ chain: SlotChain<HistorySlots>,
        _ start: (slot: Int, header: SlotHeader)
    ) throws(StoreError) {
        let span = question.span
        let indices = (
            from: span.from.tenths.flooredDivision(by: tier.tenths),
            to: (span.to.tenths - 1).flooredDivision(by: tier.tenths)
        )
        var place: Int? = start.slot
        while let slot = place {
            let read = try reader.slots(HistoryRing(tier)).read(slot)
            if read.payload.isEmpty, read.header.count > 0 { reader.recordDamage() }
            var block = RollupBlockReader(tier: tier, read.payload[...])
            while let placed = block.next() {
                if placed.boot > question.boot { return }
                guard placed.boot == question.boot, placed.index >= indices.from else { continue }
                if placed.index > indices.to { return }
                let begin = max(placed.index * tier.tenths, span.from.tenths)
                cells.add(placed.bucket, at: span.offset + begin - span.from.tenths)
            }
            let later = try chain.later(than: read.header)
            if let later, later.header.depth > read.header.depth + 1 { reader.recordDamage() }
            place = later?.slot
        }
    }

    private func fillFromSamples(
        _ cells: inout HistoryCells,
        _ question: Question
    ) throws(StoreError) {
        let (span, id) = (question.span, question.stream.description.id)
        let interval = try reader.database { (catalogue) throws(SQLiteError) in
            try catalogue.heads(question.stream.place).interval
        }
        var machine = RollupMachine(boot: question.boot, coveredUntil: nil)
        let samples = RawSamples(
            reader,
            question.stream,
            try reader.ordinals(),
            [span],
            of: id,
            .history
        )
        var rows = SegmentRows()
        while let piece = try samples.nextRows(into: &rows) {
            cells.add(rows, piece.range, question, &machine, interval)
        }
    }

    /// Adds the records that are not in the history yet.
    func fillFromTail(
        _ cells: inout HistoryCells,
        _ id: StreamID,
        _ channel: Int,
        _ spans: [HistorySpan]
    ) throws(StoreError) {
        guard let description = try reader.streams().first(where: { $0.id == id }),
            channel < description.quantities.count
        else { return }
        let known = try reader.stream(id)
        var heads = StreamHeads()
        var stored: HistoryPosition?
        if let known {
            heads = try reader.database { (catalogue) throws(SQLiteError) in
                try catalogue.heads(known.place)
            }
            stored = try reader.chain(.samples, SlotKey(id), place: known.place)?.header.last
        }
        let part = RawSamples.Part.tail(after: stored, try reader.cursor())
        let ordinals = try reader.ordinals()
        let stream = known ?? HistoryCatalog.Stream(place: 0, description: description)
        for span in spans {
            guard let boot = ordinals[span.boot] else { continue }
            let question = Question(stream: stream, channel: channel, boot: boot, span: span)
            let covered = heads.boot == boot ? heads.coveredUntil[channel] : nil
            var machine = RollupMachine(boot: boot, coveredUntil: covered)
            let samples = RawSamples(reader, known, ordinals, [span], of: id, part)
            var rows = SegmentRows()
            while let piece = try samples.nextRows(into: &rows) {
                let tick = rows.tick(piece.range.lowerBound)
                let interval =
                    reader.tail.schedule(of: id, span.boot, at: tick).map {
                        $0.interval.map { $0.wholeNanoseconds / 100_000_000 }
                    } ?? heads.interval
                cells.add(rows, piece.range, question, &machine, interval)
            }
        }
    }
}

/// The equal steps of an answer.
struct HistoryCells {
    let origin: Int64
    let width: Int64
    var points: [HistoryPoint]

    init(origin: Int64, length: Int64, width: Int64) {
        (self.origin, self.width) = (origin, width)
        points = stride(from: 0, to: length, by: Int64.Stride(width)).map { offset in
            HistoryPoint(offset: origin + offset, width: min(width, length - offset))
        }
    }

    mutating func add(_ bucket: RollupBucket, at offset: Int64) {
        let index = (offset - origin) / width
        guard points.indices.contains(Int(index)) else { return }
        points[Int(index)].bucket.merge(bucket)
    }

    /// Adds rows of one piece, each as a bucket of its own.
    mutating func add(
        _ rows: SegmentRows,
        _ range: Range<Int>,
        _ question: HistorySeries.Question,
        _ machine: inout RollupMachine,
        _ interval: Int64?
    ) {
        let (span, channel) = (question.span, question.channel)
        let decimals = question.stream.decimals[channel]
        let status = rows.statuses[channel]
        for row in range {
            let tick = rows.tenths(row)
            let bucket = machine.bucket(
                tick,
                status.outcome(rows.mantissa(row, channel)),
                decimals: decimals,
                interval: interval
            )
            add(bucket, at: span.offset + tick - span.from.tenths)
        }
    }
}
