import Core

/// A sample that is sent to see whether a target accepts samples of its age.
struct OutboxProbe: Hashable, Sendable {
    private static let pageLimit = 1_000

    let sample: OutboxSample
    let time: WallTime
    /// Whether the target already has it.
    let isDelivered: Bool

    /// Finds the first sample after a moment that waits, or was delivered ahead of waiting ones.
    ///
    /// - Parameters:
    ///   - source: Where they are; bound: reads on until there is one, at most what the ring has.
    ///   - marks: How far the target has got.
    ///   - leavesOut: Why a sample is none of the target's.
    /// - Returns: nil when there is none.
    /// - Throws: Errors of reading the store.
    static func first(
        after moment: WallTime,
        in source: any OutboxSampleSource,
        _ marks: [StreamID: StreamCursor],
        _ leavesOut: (_ sample: OutboxSample, _ page: OutboxPage) -> LeftOut?
    ) async throws -> OutboxProbe? {
        let place = try await source.place(notAfter: moment)
        var first: OutboxProbe?
        for (stream, mark) in marks.sorted(by: { $0.key < $1.key }) where mark.waiting > 0 {
            guard let seen = mark.seen else { continue }
            let settled = mark.settled
            var start = [place, settled].compactMap(\.self).max()
            if let place, place == start, place > seen {
                start = try await lastPlace(notAfter: moment, of: stream, settled, seen, source)
            }
            while let page = try await source.page(of: stream, after: start, limit: pageLimit),
                let next = page.samples.first, let last = page.samples.last,
                page.place(next) <= seen
            {
                start = page.place(last)
                let found = page.samples.first { sample in
                    sample.time.map { $0 > moment } ?? false && page.place(sample) <= seen
                        && leavesOut(sample, page) == nil
                }
                guard let found, let time = found.time else { continue }
                guard first.map({ time < $0.time }) ?? true else { break }
                let isDelivered = mark.isDelivered(page.place(found))
                first = OutboxProbe(sample: found, time: time, isDelivered: isDelivered)
                break
            }
        }
        return first
    }

    /// Finds the last place of a stream that is not later than a moment.
    ///
    /// Boots may overlap in time, after a store was merged or a clock was set. Then the moment's
    /// own place may lie behind all samples of the stream.
    private static func lastPlace(
        notAfter moment: WallTime,
        of stream: StreamID,
        _ settled: OutboxPosition?,
        _ seen: OutboxPosition,
        _ source: any OutboxSampleSource
    ) async throws -> OutboxPosition? {
        let oldest = try await source.page(of: stream, after: settled, limit: 1)
        let newest = try await source.page(of: stream, after: seen.earlier, limit: 1)
        guard let oldest, let first = oldest.samples.first, let last = newest?.samples.first,
            let time = last.time, time > moment
        else { return seen }
        // If the samples span two boots, the search is in the later one: the earlier one is older.
        var low = oldest.boot == seen.boot ? first.tick.tenths - 1 : -1
        var high = seen.tick.tenths
        while low + 1 < high {
            let middle = low + (high - low) / 2
            let place = OutboxPosition(
                boot: seen.boot,
                bootNumber: seen.bootNumber,
                tick: Tick(tenths: middle)
            )
            let page = try await source.page(of: stream, after: place, limit: 1)
            let isLater = page?.samples.first?.time.map { $0 > moment } ?? true
            if isLater { high = middle } else { low = middle }
        }
        return OutboxPosition(boot: seen.boot, bootNumber: seen.bootNumber, tick: Tick(tenths: low))
    }

    func batch(of target: String) -> SampleBatch {
        let text = "\(target) probe \(sample.stream.rawValue) \(sample.boot) \(sample.tick.tenths)"
        return SampleBatch([sample], id: BatchID.digest(Array(text.utf8)), isLate: true)
    }
}
