import Core
import Store

/// Where the time of one channel went: in `/ledger`, in `/proof` and in `roost ledger --json`.
package struct ChannelLedgerReport: Codable, Hashable, Sendable {
    package struct Gap: Codable, Hashable, Sendable {
        package let cause: GapCause
        /// The cause in English.
        package let name: String
        package let seconds: Double
        /// Stretches of it.
        package let count: Int
        package let isLoss: Bool
    }

    /// A gap from when to when, in seconds since 1970: `[from, to, cause]` in JSON.
    package struct Stretch: Codable, Hashable, Sendable {
        package let from: Double
        package let to: Double
        package let cause: GapCause

        package init(from: Double, to: Double, cause: GapCause) {
            (self.from, self.to, self.cause) = (from, to, cause)
        }

        package init(from decoder: any Decoder) throws {
            var items = try decoder.unkeyedContainer()
            from = try items.decode(Double.self)
            to = try items.decode(Double.self)
            cause = try items.decode(GapCause.self)
        }

        package func encode(to encoder: any Encoder) throws {
            var items = encoder.unkeyedContainer()
            try items.encode(from)
            try items.encode(to)
            try items.encode(cause)
        }
    }

    package let channel: String
    /// In `/proof`.
    package private(set) var unit: String?
    /// Range that was accounted for, ISO 8601; in `/ledger`.
    package private(set) var from: String?
    package private(set) var to: String?
    package let elapsedSeconds: Double
    package let coveredSeconds: Double
    package let valueCount: Int
    /// Samples without a value.
    package let noDataCount: Int
    /// Samples known to be lost.
    package let lostCount: Int
    /// By length, longest first.
    package let gaps: [Gap]
    /// Each gap in order; in `/ledger`.
    package private(set) var stretches: [Stretch]?
    /// Whether stretches lie so near to each other that some were drawn as one.
    package private(set) var isMerged: Bool?

    package init(_ line: GapLedgerReport.Line, unit: String? = nil) {
        channel = line.channel
        self.unit = unit
        elapsedSeconds = Double(line.elapsedTenths) / 10
        coveredSeconds = Double(line.coveredTenths) / 10
        valueCount = line.valueCount
        noDataCount = line.noDataCount
        lostCount = line.lostCount
        gaps = line.gaps.map { gap in
            Gap(
                cause: gap.cause,
                name: gap.cause.text,
                seconds: Double(gap.tenths) / 10,
                count: gap.count,
                isLoss: gap.cause.isLoss
            )
        }
    }

    package init(_ ledger: ChannelLedger) {
        self.init(ledger.line)
        let timeline = ledger.timeline
        from = timeline.time(at: ledger.range.lowerBound)?.wall.iso8601
        to = timeline.time(at: ledger.range.upperBound)?.wall.iso8601
        stretches = ledger.stretches.compactMap { stretch in
            guard let from = timeline.time(at: stretch.range.lowerBound)?.wall,
                let to = timeline.time(at: stretch.range.upperBound)?.wall
            else { return nil }
            return Stretch(
                from: Double(from.tenths) / 10,
                to: Double(to.tenths) / 10,
                cause: stretch.cause
            )
        }
        isMerged = ledger.isMerged
    }
}

/// The ledgers of channels: the answer of `/ledger` and of `roost ledger --json`.
package struct LedgersReport: Codable, Hashable, Sendable {
    package let items: [ChannelLedgerReport]
    /// Entries that were out of place and explain nothing; nil without one.
    package private(set) var misplacedCount: Int?

    package init(_ ledgers: [ChannelLedger]) { items = ledgers.map { ChannelLedgerReport($0) } }

    package init(_ reports: [GapLedgerReport]) {
        items = reports.flatMap(\.lines).map { ChannelLedgerReport($0) }
        let misplaced = reports.reduce(0) { $0 + $1.misplacedCount }
        misplacedCount = misplaced > 0 ? misplaced : nil
    }
}

extension GapLedgerReport.Line {
    /// Time of which nothing recorded says why it is not covered.
    package var unexplainedTenths: Int64 {
        gaps.reduce(remainderTenths) { $1.cause == .unexplained ? $0 + $1.tenths : $0 }
    }
}
