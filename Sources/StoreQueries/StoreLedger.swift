import Core
import Store

/// Feeds ledgers from a history.
package enum StoreLedger {
    /// Accounts for every stream within a time, those that were imported last.
    ///
    /// - Parameters:
    ///   - range: From when to when.
    ///   - progress: Called with device and per cent now and then.
    /// - Returns: One report for each stream.
    /// - Throws: `StoreError.database`.
    package static func reports(
        _ reader: HistoryReader,
        _ times: StoreTimes,
        _ range: TimeRange = TimeRange(),
        _ progress: (_ device: String, _ percent: Int64) -> Void = { _, _ in }
    ) throws -> [GapLedgerReport] {
        let timeline = GapLedgerTimeline(runs: times.runs, clock: times.clock)
        let first = range.from.map { timeline.position(at: $0) } ?? 0
        let last = range.to.map { timeline.position(at: $0) } ?? timeline.length
        let own = try GapLedgerReports.all(
            of: reader,
            along: timeline,
            within: first..<max(first, last),
            progress: progress
        )
        let imported = try reader.streams().filter(\.id.isImported)
        return try own
            + imported.map { try ImportedLedger.report(of: $0, reader, times.clock, range) }
    }

    /// The line that speaks for a whole station: of the channel in use with most values.
    package static func chief(
        _ lines: [GapLedgerReport.Line],
        of channels: [StoreChannel]
    ) -> GapLedgerReport.Line? {
        let names = Set(channels.map(\.name))
        let own = lines.filter { names.contains($0.channel) }
        return (own.isEmpty ? lines : own).max { $0.coveredTenths < $1.coveredTenths }
    }

    /// Lines in the order of channels.
    package static func ordered(
        _ lines: [GapLedgerReport.Line],
        by channels: [StoreChannel]
    ) -> [GapLedgerReport.Line] {
        let places = Dictionary(channels.enumerated().map { ($1.name, $0) }) { first, _ in first }
        return lines.enumerated()
            .sorted { left, right in
                let (one, other) = (places[left.element.channel], places[right.element.channel])
                return (one ?? .max, left.offset) < (other ?? .max, right.offset)
            }
            .map(\.element)
    }
}
