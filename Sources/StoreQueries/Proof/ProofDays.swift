import Core
import Store

/// How much of each local day values cover, and why some are missing: the answer of `/proof/days`.
///
/// Made of rollups, schedules, marks and runs, never of samples: it reaches back as far as the
/// rollups, and costs as much whatever the interval. Why a sample has no value only the sample
/// says; `/ledger` reads it. A channel without any value is left out. Days: `LocalBins.countMax`
/// at most, the oldest; sums are of them all.
package struct ProofDays: Codable, Hashable, Sendable {
    /// A cause of all rows.
    package struct Cause: Codable, Hashable, Sendable {
        /// Absent where samples came without a value, or none came: `/ledger` says which.
        package let cause: GapCause?
        /// The cause in English.
        package let name: String?
        package let seconds: Double
    }

    /// Channels of one device whose days are the same.
    package struct Row: Codable, Hashable, Sendable {
        package let channels: [String]
        /// Number of the first day, counted from `from`.
        package let first: Int
        /// Per cent of each day on which values were due, from the first day on, rounded down;
        /// -1 where none were due.
        package let shares: [Int]
        /// Stretches of days as `[day, days, cause]`, for the cause with most of what is missing.
        ///
        /// The first day counted from `from`, how many they are, and the place in the causes of all
        /// rows.
        package let causes: [[Int]]
    }

    /// Name of the zone of the days.
    package let zone: String
    /// The first day, such as `2026-04-14`; nil without one.
    package let from: String?
    /// Days from the first to the present.
    package let dayCount: Int
    /// Time in which values were due, of all channels.
    package let dueSeconds: Double
    package let coveredSeconds: Double
    /// By length, longest first.
    package let causes: [Cause]
    package let rows: [Row]

    /// Reads them.
    ///
    /// - Parameters:
    ///   - now: End of the last day; nil while nothing dates it: then there is no day.
    /// - Throws: `StoreError.database`.
    package init(
        _ reader: HistoryReader,
        _ times: StoreTimes,
        in zone: (name: String, zone: Zone),
        now: WallTime?
    ) throws(StoreError) {
        let accounts = try ProofDayAccount.all(reader, times, in: zone.zone, now: now)
        let begin = accounts.rows.map(\.days.lowerBound).min()
        var sums: [GapCause?: Int64] = [:]
        for row in accounts.rows {
            for (cause, tenths) in row.sums { sums[cause, default: 0] += tenths }
        }
        let ranked = sums.sorted {
            ($1.value, $0.key?.rawValue ?? "") < ($0.value, $1.key?.rawValue ?? "")
        }
        let places = Dictionary(ranked.enumerated().map { ($1.key, $0) }) { first, _ in first }
        self.zone = zone.name
        from = begin.map { accounts.bins[$0].label }
        dayCount = begin.map { accounts.bins.count - $0 } ?? 0
        dueSeconds = Double(accounts.rows.reduce(0) { $0 + $1.due }) / 10
        coveredSeconds = Double(accounts.rows.reduce(0) { $0 + $1.covered }) / 10
        causes = ranked.map {
            Cause(cause: $0.key, name: $0.key?.text, seconds: Double($0.value) / 10)
        }
        var rows: [(stream: StreamID, row: Row)] = []
        for account in accounts.rows {
            let row = Row(account, from: begin ?? 0, places)
            if let alike = rows.firstIndex(where: {
                $0.stream == account.channel.stream.id && $0.row.hasDays(of: row)
            }) {
                rows[alike].row = rows[alike].row.adding(row.channels)
            } else {
                rows.append((account.channel.stream.id, row))
            }
        }
        self.rows = rows.map(\.row)
    }
}

extension ProofDays.Row {
    fileprivate init(_ account: ProofDayAccount, from begin: Int, _ places: [GapCause?: Int]) {
        var runs: [[Int]] = []
        for (offset, day) in account.shares.enumerated() {
            guard let cause = day.main.flatMap({ places[$0] }) else { continue }
            let number = account.days.lowerBound - begin + offset
            if let last = runs.last, last[2] == cause, last[0] + last[1] == number {
                runs[runs.count - 1][1] += 1
            } else {
                runs.append([number, 1, cause])
            }
        }
        self.init(
            channels: [account.channel.name],
            first: account.days.lowerBound - begin,
            shares: account.shares.map(\.percent),
            causes: runs
        )
    }

    fileprivate func hasDays(of other: Self) -> Bool {
        first == other.first && shares == other.shares && causes == other.causes
    }

    fileprivate func adding(_ more: [String]) -> Self {
        Self(channels: channels + more, first: first, shares: shares, causes: causes)
    }
}
