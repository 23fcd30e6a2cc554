import Core

/// A sample with the boot it was measured in.
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
    /// - Returns: What hands them out.
    /// - Throws: `StoreError.database`.
    package func raw(
        _ stream: StreamID,
        _ spans: [HistorySpan]
    ) throws(StoreError) -> RawSamples {
        RawSamples(self, try self.stream(stream), try ordinals(), spans, of: stream)
    }

    /// The last sample of a stream; nil when it has none.
    package func latest(_ stream: StreamID) throws(StoreError) -> BootSample? {
        for (boot, ticks) in try extents(of: stream).reversed() {
            let (first, last) = (ticks.lowerBound, ticks.upperBound)
            // The very end may be damaged: then farther back, an hour, a day, all of it.
            var starts = [last]
            for tenths in [36_000, 864_000] where first.tenths < last.tenths - Int64(tenths) {
                starts.append(Tick(tenths: last.tenths - Int64(tenths)))
            }
            for start in starts + [first] {
                let span = HistorySpan(boot: boot, from: start, to: .end)
                let samples = try raw(stream, [span])
                var latest: BootSample?
                while let sample = try samples.next() { latest = sample }
                if let latest { return latest }
            }
        }
        return nil
    }

    /// First and last sample of each boot in which the stream has any, oldest first.
    func extents(of stream: StreamID) throws(StoreError) -> [(BootID, ClosedRange<Tick>)] {
        defer { rest() }
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
        for segment in tail.segments where segment.stream == stream {
            guard let index = extents.lastIndex(where: { $0.0 == segment.boot }) else {
                extents.append((segment.boot, segment.first...segment.last))
                continue
            }
            let known = extents[index].1
            let last = max(known.upperBound, segment.last)
            extents[index].1 = known.lowerBound...last
        }
        return extents
    }

    /// The first section that ends at or after a position, or the last that begins before it.
    ///
    /// Where a slot fails its check, its header's ticks count: its neighbours in the boot are
    /// found, and reading the slot itself reports the damage.
    private func edge(
        _ newest: (chain: SlotChain<HistorySlots>, slot: Int, header: SlotHeader),
        _ position: HistoryPosition,
        isFirst: Bool
    ) throws(StoreError) -> HistoryPosition? {
        var found = try newest.chain.find(position, from: (newest.slot, newest.header))
        var damaged: HistoryPosition?
        while true {
            let slot = try slots(.samples).read(found.slot)
            let sections = SampleSection.all(in: slot.payload)
            if slot.isDamaged {
                let ends = [slot.header.first, slot.header.last]
                guard isFirst else { return ends.last { $0 <= position } }
                damaged = damaged ?? ends.first { $0.boot == position.boot && $0 >= position }
                // One that begins within the boot begins it.
                if damaged == slot.header.first { return damaged }
            }
            guard isFirst else {
                return sections.last { HistoryPosition(boot: $0.boot, tick: $0.first) <= position }
                    .map { HistoryPosition(boot: $0.boot, tick: $0.last) }
            }
            if let hit = sections.first(where: {
                HistoryPosition(boot: $0.boot, tick: $0.last) >= position
            }) {
                let place = HistoryPosition(boot: hit.boot, tick: hit.first)
                return damaged.map { $0.boot == hit.boot ? min($0, place) : $0 } ?? place
            }
            guard let next = found.header.next,
                let header = try newest.chain.live(next, depth: found.header.depth + 1)
            else { return damaged }
            found = (next, header)
        }
    }
}

extension Tick {
    /// After everything.
    package static let end = Tick(tenths: .max)
}
