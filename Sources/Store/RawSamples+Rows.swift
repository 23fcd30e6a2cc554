import Readings

extension RawSamples {
    /// Rows of one piece that lie within a span.
    package struct Rows: Hashable, Sendable {
        package let boot: BootID
        /// Which rows of the piece.
        package let range: Range<Int>
    }

    /// The next samples of the history, as many as come in one piece; nil after the last.
    ///
    /// For those who read many: a day takes an allocation for each slot. Use it or `next()`, not
    /// both; the tail's samples are left to the caller.
    ///
    /// - Parameter rows: Reused; holds the samples until the next call.
    /// - Returns: Which rows of it, and of which boot.
    /// - Throws: `StoreError.database`.
    package func nextRows(into rows: inout SegmentRows) throws(StoreError) -> Rows? {
        while let span = spans.first {
            if let range = try nextRows(into: &rows, span) {
                return Rows(boot: span.boot, range: range)
            }
            leaveSpan()
        }
        return nil
    }

    private func nextRows(
        into rows: inout SegmentRows,
        _ span: HistorySpan
    ) throws(StoreError) -> Range<Int>? {
        guard let boot = ordinals[span.boot] else { return nil }
        while true {
            while decodeRows(into: &rows) {
                let ticks = rows.ticks[..<rows.count]
                let from = span.from.tenths
                let lower =
                    ticks.first.map { $0 >= from } ?? true
                    ? 0 : ticks.firstIndex { $0 >= from } ?? rows.count
                let isWithin = ticks.last.map { $0 < span.to.tenths } ?? true
                let upper =
                    isWithin ? rows.count : ticks.firstIndex { $0 >= span.to.tenths } ?? rows.count
                if lower < upper {
                    last = HistoryPosition(boot: boot, tick: rows.tick(upper - 1))
                    return lower..<upper
                }
                if !isWithin { return nil }
            }
            guard try openSection(boot, span) else { return nil }
        }
    }

    /// Decodes the next piece of the open section; closes it at its end.
    private func decodeRows(into rows: inout SegmentRows) -> Bool {
        do {
            if try decoder?.nextRows(into: &rows) == true { return true }
        } catch { damagedSegments += 1 }
        decoder = nil
        return false
    }
}
