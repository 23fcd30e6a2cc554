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
    /// - Returns: What hands them out.
    /// - Throws: `StoreError.database`.
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
