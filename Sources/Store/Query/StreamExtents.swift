import Core

/// Finds in which boots, and from when to when, a stream has samples.
package struct StreamExtents {
    private let reader: HistoryReader

    package init(_ reader: HistoryReader) { self.reader = reader }

    /// The boots in which a stream has samples, each from its first to its last, one after the
    /// other on the axis of elapsed time.
    package func spans(of stream: StreamID) throws(StoreError) -> [HistorySpan] {
        defer { reader.rest() }
        var (spans, offset): ([HistorySpan], Int64) = ([], 0)
        for (boot, range) in try all(of: stream) {
            let to = Tick(tenths: range.upperBound.tenths + 1)
            spans.append(HistorySpan(boot: boot, from: range.lowerBound, to: to, offset: offset))
            offset += to.tenths - range.lowerBound.tenths
        }
        return spans
    }

    /// The last sample of a stream; nil when it has none.
    package func latest(of stream: StreamID) throws(StoreError) -> BootSample? {
        for (boot, ticks) in try all(of: stream).reversed() {
            let (first, last) = (ticks.lowerBound, ticks.upperBound)
            // The very end may be damaged: then farther back, an hour, a day, all of it.
            var starts = [last]
            for tenths in [36_000, 864_000] where first.tenths < last.tenths - Int64(tenths) {
                starts.append(Tick(tenths: last.tenths - Int64(tenths)))
            }
            for start in starts + [first] {
                let span = HistorySpan(boot: boot, from: start, to: .end)
                let samples = try RawSamples(reader, stream, [span])
                var latest: BootSample?
                while let sample = try samples.next() { latest = sample }
                if let latest { return latest }
            }
        }
        return nil
    }

    /// First and last sample of each boot in which the stream has any, oldest first.
    private func all(of stream: StreamID) throws(StoreError) -> [(BootID, ClosedRange<Tick>)] {
        defer { reader.rest() }
        var extents: [(BootID, ClosedRange<Tick>)] = []
        if let known = try reader.stream(stream),
            let newest = try reader.chain(.samples, SlotKey(stream), place: known.place)
        {
            // Imported samples are in boots of their own alone.
            for boot in try reader.boots() where !stream.isImported || boot.id.isImported {
                let from = HistoryPosition(boot: boot.ordinal, tick: Tick(tenths: .min))
                let to = HistoryPosition(boot: boot.ordinal, tick: .end)
                guard let first = try edge(newest, from, isFirst: true), first.boot == boot.ordinal,
                    let last = try edge(newest, to, isFirst: false), last.boot == boot.ordinal
                else { continue }
                extents.append((boot.id, first.tick...last.tick))
            }
        }
        for segment in reader.tail.segments where segment.stream == stream {
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
            let slot = try reader.slots(.samples).read(found.slot)
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
