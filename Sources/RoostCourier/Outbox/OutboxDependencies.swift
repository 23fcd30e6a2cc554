import Core

/// Dependencies of the task of a target of samples.
typealias OutboxDependencies = DeliveryDependencies<any OutboxSampleSource>

extension DeliveryDependencies<any OutboxSampleSource> {
    /// Longest delay of a wake-up.
    private static var tolerance: Duration { .seconds(2) }
    private static var pageLimit: Int { 2_000 }

    /// Waits for a new sample, a moment or a signal.
    ///
    /// - Returns: As the source's `change`; nil after the signal.
    func change(
        since known: UInt64,
        until next: MonotonicInstant,
        unless signal: Signal
    ) async throws -> UInt64? {
        let source = source
        // A pace of a quarter of a second must not become two: a backlog would take a week.
        let tolerance = min(clock.now.duration(to: next) / 4, Self.tolerance)
        return try await clock.run(unless: signal) {
            try await source.change(since: known, until: next, tolerance: max(tolerance, .zero))
        }
    }

    /// Counts the waiting samples of a stream that are still in the ring.
    func left(of stream: StreamID, _ mark: StreamCursor) async throws -> Int {
        var left = try await source.count(of: stream, after: mark.settled).count
        for range in mark.ranges {
            let inside = try await source.count(of: stream, after: range.from.earlier).count
            left -= inside - (try await source.count(of: stream, after: range.to).count)
        }
        return left
    }

    /// Reads a refused sample with its page; nil when it is no longer there.
    func sample(_ refused: RefusedSample) async throws -> (OutboxSample, OutboxPage)? {
        let before = refused.place.earlier
        let page = try await source.page(of: refused.stream, after: before, limit: 1)
        guard let page, let sample = page.samples.first, page.place(sample) == refused.place
        else { return nil }
        return (sample, page)
    }

    /// Reads the next samples before a moment, marked as dropped.
    ///
    /// - Returns: nil when there are none; whether they are the last.
    func past(
        of stream: StreamID,
        _ mark: StreamCursor,
        before moment: WallTime
    ) async throws -> (OutboxBatch, isLast: Bool)? {
        let found = try await source.page(of: stream, after: mark.settled, limit: Self.pageLimit)
        guard let page = found else { return nil }
        var old = page
        old.samples.removeAll { sample in sample.time.map { $0 >= moment } ?? true }
        var draft = OutboxBatch(.backlog)
        draft.add(old, after: mark, limit: .max, dating: .unneeded) { _ in .dropped }
        return draft.isEmpty ? nil : (draft, old.samples.count < page.samples.count)
    }

    /// Reads the cursor of an earlier process; nil without one, or why it cannot be read.
    func cursor(of target: String) async throws -> (found: OutboxCursor?, lost: CursorError?) {
        let numbers = try await source.boots()
        return try await cursors.cursor(of: target) { bytes throws(CursorError) in
            try OutboxCursor(bytes) { numbers[$0] }
        }
    }

    /// Makes the cursor of a new target.
    ///
    /// - Parameters:
    ///   - isFromNow: Whether it gets what is recorded from now on.
    ///   - ageLimit: Age above which samples, by the present date, are not for it.
    /// - Returns: nil: it gets all.
    /// - Throws: Errors of reading the store.
    func newCursor(_ isFromNow: Bool, _ ageLimit: Duration?) async throws -> OutboxCursor? {
        if !isFromNow {
            guard let ageLimit, let wall = clock.wallTime else { return nil }
            let edge = wall.advanced(by: .zero - ageLimit)
            guard let place = try await source.place(notAfter: edge) else { return nil }
            let streams = try await source.streams()
            return OutboxCursor(
                marks: Dictionary(
                    uniqueKeysWithValues: streams.map { ($0, StreamCursor(after: place)) }
                )
            )
        }
        var marks: [StreamID: StreamCursor] = [:]
        for stream in try await source.streams() {
            let newest = try await source.count(of: stream, after: nil).newest
            marks[stream] = StreamCursor(after: newest)
        }
        return OutboxCursor(marks: marks)
    }
}
