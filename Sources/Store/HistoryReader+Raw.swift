import Readings

/// A sample with the boot it was taken in.
package struct BootSample: Hashable, Sendable {
    package let boot: BootID
    package let tick: Tick
    package let outcomes: [Outcome]

    package init(boot: BootID, tick: Tick, outcomes: [Outcome]) {
        self.boot = boot
        self.tick = tick
        self.outcomes = outcomes
    }
}

extension HistoryReader {
    /// The samples of a stream within the spans, oldest first, one slot at a time.
    ///
    /// - Parameters:
    ///   - stream: The stream; one that is not known has no samples.
    ///   - spans: Oldest first.
    ///   - tail: What is not in the history yet.
    package func raw(
        _ stream: StreamID,
        _ spans: [HistorySpan],
        tail: HistoryTail? = nil
    ) throws(StoreError) -> RawSamples {
        let known = try self.stream(stream)
        return RawSamples(self, known, try ordinals(), spans, tail, of: stream)
    }

    /// The last sample of a stream; nil when it has none.
    package func latest(
        _ stream: StreamID,
        tail: HistoryTail? = nil
    ) throws(StoreError) -> BootSample? {
        if let tail, let sample = tail.samples.last(where: { $0.stream == stream }) {
            return BootSample(boot: tail.boot, tick: sample.tick, outcomes: sample.outcomes)
        }
        defer { rest() }
        guard let known = try self.stream(stream),
            let newest = try chain(.samples, SlotKey(stream), place: known.place),
            let section = SampleSection.all(in: try slots(.samples).read(newest.slot).payload).last,
            let boot = try boots().first(where: { $0.ordinal == section.boot })
        else { return nil }
        let span = HistorySpan(boot: boot.id, from: section.last, to: .end)
        let samples = try raw(stream, [span])
        var latest: BootSample?
        while let sample = try samples.next() { latest = sample }
        return latest
    }

    /// First and last sample of each boot in which the stream has any, oldest first.
    func extents(
        of stream: StreamID,
        _ tail: HistoryTail?
    ) throws(StoreError) -> [(BootID, ClosedRange<Tick>)] {
        var extents: [(BootID, ClosedRange<Tick>)] = []
        if let known = try self.stream(stream),
            let newest = try chain(.samples, SlotKey(stream), place: known.place)
        {
            for boot in try boots() {
                let from = HistoryPosition(boot: boot.ordinal, tick: Tick(tenths: .min))
                let to = HistoryPosition(boot: boot.ordinal, tick: .end)
                guard let first = try edge(newest, from, isFirst: true), first.boot == boot.ordinal,
                    let last = try edge(newest, to, isFirst: false), last.boot == boot.ordinal
                else { continue }
                extents.append((boot.id, first.tick...last.tick))
            }
        }
        let mine = tail?.samples.filter { $0.stream == stream } ?? []
        guard let tail, let first = mine.first, let last = mine.last else { return extents }
        if let index = extents.lastIndex(where: { $0.0 == tail.boot }) {
            let known = extents[index].1
            extents[index].1 = known.lowerBound...max(known.upperBound, last.tick)
        } else {
            extents.append((tail.boot, first.tick...last.tick))
        }
        return extents
    }

    /// The first section that ends at or after a position, or the last that begins before it.
    private func edge(
        _ newest: (chain: SlotChain<HistorySlots>, slot: Int, header: SlotHeader),
        _ position: HistoryPosition,
        isFirst: Bool
    ) throws(StoreError) -> HistoryPosition? {
        var found = try newest.chain.find(position, from: (newest.slot, newest.header))
        while true {
            let sections = SampleSection.all(in: try slots(.samples).read(found.slot).payload)
            guard isFirst else {
                return sections.last { HistoryPosition(boot: $0.boot, tick: $0.first) <= position }
                    .map { HistoryPosition(boot: $0.boot, tick: $0.last) }
            }
            if let hit = sections.first(where: {
                HistoryPosition(boot: $0.boot, tick: $0.last) >= position
            }) {
                return HistoryPosition(boot: hit.boot, tick: hit.first)
            }
            guard let next = found.header.next,
                let header = try newest.chain.live(next, depth: found.header.depth + 1)
            else { return nil }
            found = (next, header)
        }
    }
}

extension Tick {
    /// After everything.
    package static let end = Tick(tenths: .max)
}

/// Hands out samples one after the other, reading a slot when it needs one.
package final class RawSamples {
    private let reader: HistoryReader
    private let stream: HistoryCatalogue.Stream?
    private let ordinals: [BootID: UInt32]
    private let id: StreamID
    private let tail: HistoryTail?
    private var spans: ArraySlice<HistorySpan>

    private var slot: (place: Int, header: SlotHeader)?
    private var payload: [UInt8] = []
    private var sections: ArraySlice<SampleSection> = []
    private var decoder: SegmentDecoder?
    private var hasEntered = false
    /// Where the tail stands; it is read for each span after the history.
    private var tailIndex = 0
    private var last: HistoryPosition?
    /// Segments that could not be decoded to their end.
    package private(set) var damagedSegments = 0

    init(
        _ reader: HistoryReader,
        _ stream: HistoryCatalogue.Stream?,
        _ ordinals: [BootID: UInt32],
        _ spans: [HistorySpan],
        _ tail: HistoryTail?,
        of id: StreamID
    ) {
        (self.reader, self.stream, self.ordinals) = (reader, stream, ordinals)
        (self.spans, self.tail, self.id) = (spans[...], tail, id)
    }

    /// The next sample, or nil after the last.
    package func next() throws(StoreError) -> BootSample? {
        while let span = spans.first {
            if let sample = try nextStored(span) ?? nextOfTail(span) { return sample }
            spans.removeFirst()
            (slot, payload, sections, decoder) = (nil, [], [], nil)
            (hasEntered, tailIndex) = (false, 0)
            last = nil
        }
        return nil
    }

    private func nextStored(_ span: HistorySpan) throws(StoreError) -> BootSample? {
        guard let boot = ordinals[span.boot], stream != nil else { return nil }
        while true {
            if let (tick, outcomes) = decoded(), tick >= span.from {
                guard tick < span.to else {
                    (decoder, sections, hasEntered, slot) = (nil, [], true, nil)
                    return nil
                }
                last = HistoryPosition(boot: boot, tick: tick)
                return BootSample(boot: span.boot, tick: tick, outcomes: outcomes)
            }
            if decoder != nil { continue }
            guard try openSection(boot, span) else { return nil }
        }
    }

    /// The next sample of the open section; closes it at its end.
    private func decoded() -> (Tick, [Outcome])? {
        do {
            if let next = try decoder?.next() { return next }
        } catch { damagedSegments += 1 }
        decoder = nil
        return nil
    }

    /// Opens the next section that may lie in the span.
    private func openSection(_ boot: UInt32, _ span: HistorySpan) throws(StoreError) -> Bool {
        guard let stream else { return false }
        while true {
            while let section = sections.first {
                sections.removeFirst()
                if section.boot > boot || section.boot == boot && section.first >= span.to {
                    return false
                }
                guard section.boot == boot, section.last >= span.from else { continue }
                let segment = Array(payload[section.segment])
                decoder = try? SegmentDecoder(segment, decimals: stream.decimals)
                if decoder != nil { return true }
                damagedSegments += 1
            }
            guard try openSlot(HistoryPosition(boot: boot, tick: span.from)) else { return false }
        }
    }

    /// Reads the next slot of the chain, or the first that may hold `position`.
    private func openSlot(_ position: HistoryPosition) throws(StoreError) -> Bool {
        defer { reader.rest() }
        guard let stream else { return false }
        let key = SlotKey(stream.description.id)
        guard let newest = try reader.chain(.samples, key, place: stream.place) else {
            return false
        }
        let found: (slot: Int, header: SlotHeader)
        if let slot {
            guard let next = slot.header.next else { return false }
            if let header = try newest.chain.live(next, depth: slot.header.depth + 1) {
                found = (next, header)
            } else {
                // Recycled under our eyes: go on with the oldest that is left.
                found = try newest.chain.find(
                    last ?? position,
                    from: (newest.slot, newest.header)
                )
                guard found.header.depth > slot.header.depth else { return false }
            }
        } else {
            guard !hasEntered else { return false }
            found = try newest.chain.find(position, from: (newest.slot, newest.header))
        }
        hasEntered = true
        let read = try reader.slots(.samples).read(found.slot)
        if read.payload.isEmpty, read.header.count > 0 { reader.noteDamage() }
        (slot, payload) = ((found.slot, read.header), read.payload)
        sections = SampleSection.all(in: payload)[...]
        return true
    }

    private func nextOfTail(_ span: HistorySpan) -> BootSample? {
        guard let tail, tail.boot == span.boot else { return nil }
        while tailIndex < tail.samples.count {
            let sample = tail.samples[tailIndex]
            tailIndex += 1
            guard sample.stream == id, sample.tick >= span.from, sample.tick < span.to,
                last.map({ sample.tick > $0.tick }) ?? true
            else { continue }
            return BootSample(boot: span.boot, tick: sample.tick, outcomes: sample.outcomes)
        }
        return nil
    }
}
