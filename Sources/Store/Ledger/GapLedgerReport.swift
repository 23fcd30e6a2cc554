import Core

/// The sums of a gap ledger, as text or as JSON; all times in tenths of a second, exact.
package struct GapLedgerReport: Codable, Hashable, Sendable {
    package struct Gap: Codable, Hashable, Sendable {
        package let cause: GapCause
        package let tenths: Int64
        /// Stretches of it.
        package let count: Int
    }

    package struct Line: Codable, Hashable, Sendable {
        /// `balcony/pm25`.
        package let channel: String
        package let elapsedTenths: Int64
        package let coveredTenths: Int64
        /// Gaps by length, longest first; `elapsed = covered + Σ gaps`.
        package let gaps: [Gap]
        package let valueCount: Int
        package let noDataCount: Int
        /// Samples known to be lost, from marks.
        package let lostCount: Int

        /// Elapsed less covered and gaps; anything but 0 is a defect of the ledger.
        package var remainderTenths: Int64 {
            elapsedTenths - coveredTenths - gaps.reduce(0) { $0 + $1.tenths }
        }
    }

    package private(set) var lines: [Line]
    /// Entries out of order or outside all runs.
    package let misplacedCount: Int
    /// The first of them, as text.
    package let firstMisplaced: String?

    init(_ ledger: GapLedger) {
        let elapsed = ledger.range.upperBound - ledger.range.lowerBound
        lines = zip(ledger.stream.channels, ledger.channelBooks).map { channel, book in
            Line(
                channel: channel.description,
                elapsedTenths: elapsed,
                coveredTenths: book.covered,
                gaps: book.gaps.map { Gap(cause: $0, tenths: $1.tenths, count: $1.count) }
                    .sorted { ($1.tenths, $0.cause.rawValue) < ($0.tenths, $1.cause.rawValue) },
                valueCount: book.values,
                noDataCount: book.withoutValue,
                lostCount: book.lost
            )
        }
        misplacedCount = ledger.misplacedCount
        firstMisplaced = ledger.firstMisplaced
    }

    /// The report of one channel; nil where it is not in it.
    package func keeping(_ channel: String) -> GapLedgerReport? {
        var kept = self
        kept.lines.removeAll { $0.channel != channel }
        return kept.lines.isEmpty ? nil : kept
    }

    /// A table for `roost ledger`, a block for each channel, ending in a line end.
    package var text: String {
        var text = lines.map(Self.block).joined(separator: "\n")
        if misplacedCount > 0 {
            text += "\n\(misplacedCount) entries were out of place and explain nothing.\n"
        }
        return text
    }

    private static func block(_ line: Line) -> String {
        var rows = [("elapsed", line.elapsedTenths, "")]
        rows.append(("covered by readings", line.coveredTenths, "\(line.valueCount) values"))
        for gap in line.gaps {
            rows.append(
                (gap.cause.text, gap.tenths, "\(gap.count) \(gap.count == 1 ? "gap" : "gaps")")
            )
        }
        if line.remainderTenths != 0 {
            rows.append(("NOT ACCOUNTED FOR", line.remainderTenths, ""))
        }
        let table = rows.map { name, tenths, note in
            let share = percent(tenths, of: line.elapsedTenths)
            let cells = [
                "  " + padded(name, 22), leading(durationText(tenths: tenths), 18),
                leading(share, 11),
                note.isEmpty ? "" : "  " + note,
            ]
            return cells.joined() + "\n"
        }
        let lost = line.lostCount > 0 ? "  \(line.lostCount) samples were given up.\n" : ""
        return line.channel + "\n" + table.joined() + lost
    }

    /// `3 d 04:05:06.7`.
    package static func durationText(tenths: Int64) -> String {
        let seconds = tenths.magnitude / 10
        let two = { (value: UInt64) in value < 10 ? "0\(value)" : "\(value)" }
        let clock = [seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60].map(two)
        let days = seconds >= 86_400 ? "\(seconds / 86_400) d " : ""
        return (tenths < 0 ? "-" : "") + days + clock.joined(separator: ":")
            + ".\(tenths.magnitude % 10)"
    }

    /// Three decimals, rounded down, so that 100.000 % means all of it.
    private static func percent(_ part: Int64, of whole: Int64) -> String {
        guard whole > 0 else { return "-" }
        let thousandths = Int64(Double(part) / Double(whole) * 100_000)
        return FixedPoint(part == whole ? 100_000 : min(thousandths, 99_999), decimals: 3)
            .description + " %"
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private static func leading(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
