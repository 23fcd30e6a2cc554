import Readings

/// Hands out samples one after the other, reading a slot when it needs one.
package final class RawSamples {
    private let reader: HistoryReader
    let stream: HistoryCatalogue.Stream?
    let ordinals: [BootID: UInt32]
    private let id: StreamID
    private let tail: HistoryTail?
    private(set) var spans: ArraySlice<HistorySpan>

    private var slot: (place: Int, header: SlotHeader)?
    private var payload: [UInt8] = []
    private var sections: ArraySlice<SampleSection> = []
    var decoder: SegmentDecoder?
    private var hasEntered = false
    /// Where the tail stands; it is read for each span after the history.
    private var tailIndex = 0
    var last: HistoryPosition?
    /// Segments that could not be decoded to their end.
    package internal(set) var damagedSegments = 0
    var losses = SampleLosses()

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
    ///
    /// - Throws: `StoreError.database`.
    package func next() throws(StoreError) -> BootSample? {
        while let span = spans.first {
            if let sample = try nextStored(span) ?? nextOfTail(span) { return sample }
            leaveSpan()
        }
        return nil
    }

    /// Goes on to the next span.
    func leaveSpan() {
        spans.removeFirst()
        (slot, payload, sections, decoder) = (nil, [], [], nil)
        (hasEntered, tailIndex) = (false, 0)
        last = nil
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
        } catch {
            damagedSegments += 1
            losses.segmentBroke()
        }
        decoder = nil
        return nil
    }

    /// Opens the next section that may lie in the span.
    func openSection(_ boot: UInt32, _ span: HistorySpan) throws(StoreError) -> Bool {
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
                losses.opened(section)
                if decoder != nil { return true }
                damagedSegments += 1
                losses.segmentBroke()
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
        if read.isDamaged { reader.noteDamage() }
        losses.read(read, after: slot?.header)
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
