import Core
import Store

/// The days of one channel: how much of each was due, how much values cover, and what is missing.
struct ProofDayAccount {
    /// A day of a row.
    struct Share: Hashable {
        /// 0…100, rounded down; -1 where nothing was due.
        let percent: Int
        /// The cause with most of what is missing, which is nil where only samples say it; nil
        /// where nothing is missing.
        let main: GapCause??
    }

    /// Tenths of a day that may be missing without a word, 2 min: a start, and what a rollup counts
    /// in the next bucket.
    static let slack: Int64 = 1_200

    let channel: StoreChannel
    /// Numbers of its days among all bins; never empty.
    private(set) var days: Range<Int>
    /// Tenths in which values were due, and covered.
    private(set) var due: Int64 = 0
    private(set) var covered: Int64 = 0
    private(set) var sums: [GapCause?: Int64] = [:]
    private(set) var shares: [Share] = []

    /// Accounts for every channel that ever had a value.
    ///
    /// - Returns: In the order of channels, with the days that they are of.
    static func all(
        _ reader: HistoryReader,
        _ times: StoreTimes,
        in zone: Zone,
        now: WallTime?
    ) throws(StoreError) -> (bins: [LocalBins.Bin], rows: [ProofDayAccount]) {
        let inUse = try reader.streamsInUse()
        let channels = try StoreChannel.all(reader)
        let imported = try extents(of: channels, reader, times)
        let starts = times.runs.compactMap { times.clock.time($0.boot, $0.started)?.wall.tenths }
        // A card that has only imports ends with them.
        let newest = imported.values.map(\.upperBound).max().map {
            WallTime(seconds: Int(($0 + 9) / 10))
        }
        guard let now = now ?? newest,
            let oldest = (starts + imported.values.map(\.lowerBound)).min(), oldest < now.tenths
        else { return ([], []) }
        let last = Int((now.tenths + 9) / 10)
        // The newest days count: one old date must not push them out.
        let first = max(Int(oldest / 10), last - (LocalBins.countMax - 2) * 86_400)
        let bins = LocalBins(by: .day, in: zone, from: first, to: last)
        let timeline = GapLedgerTimeline(runs: times.runs, clock: times.clock)
        let edges =
            bins.bins.map { timeline.position(at: WallTime(seconds: $0.from)) } + [timeline.length]
        let known = try KnownGaps(reader, along: timeline)
        var gaps: [StreamID: [[GapCause: Int64]]] = [:]
        var distances: [StreamID: Int64?] = [:]
        var rows: [ProofDayAccount] = []
        for channel in channels {
            let id = channel.stream.id
            let extent = imported[id]
            let coverage = try coverage(of: channel, reader, times, bins, extent, &distances)
            guard let begin = coverage.firstIndex(where: { $0 > 0 }),
                let end = coverage.lastIndex(where: { $0 > 0 })
            else { continue }
            let isLasting = inUse.contains(id) && !id.isImported
            let days = begin..<(isLasting ? bins.bins.count : end + 1)
            var account = ProofDayAccount(channel: channel, days: days)
            if let extent {
                for day in days {
                    let bin = Int64(bins.bins[day].from) * 10..<Int64(bins.bins[day].to) * 10
                    account.add(coverage[day], of: Int64(bin.clamped(to: extent).count), [:])
                }
            } else {
                let mine = gaps[id] ?? Self.byDay(known.stretches(of: id), edges)
                gaps[id] = mine
                for day in days {
                    account.add(coverage[day], of: edges[day + 1] - edges[day], mine[day])
                }
            }
            if account.due > 0 { rows.append(account) }
        }
        return (bins.bins, rows)
    }

    private init(channel: StoreChannel, days: Range<Int>) {
        (self.channel, self.days) = (channel, days)
    }

    /// Adds the next day.
    ///
    /// - Parameters:
    ///   - covered: Tenths that values cover, by rollups.
    ///   - length: Tenths of the day that are on record.
    ///   - gaps: Tenths by cause, of which samples may cover some.
    private mutating func add(_ covered: Int64, of length: Int64, _ gaps: [GapCause: Int64]) {
        let plain = gaps.reduce(0) { $1.key.isLoss ? $0 : $0 + $1.value }
        let due = max(length - plain, min(covered, length))
        var missing = due - min(covered, due)
        guard due > Self.slack || covered > 0 else {
            shares.append(Share(percent: -1, main: nil))
            return
        }
        if missing <= Self.slack { missing = 0 }
        self.due += due
        self.covered += due - missing
        guard missing > 0 else {
            shares.append(Share(percent: 100, main: nil))
            return
        }
        let losses = gaps.filter(\.key.isLoss)
        let sum = losses.values.reduce(0, +)
        var causes: [GapCause?: Int64] = [:]
        for (cause, tenths) in losses {
            causes[cause] = sum > missing ? tenths * missing / sum : tenths
        }
        let isImported = channel.stream.id.isImported
        // No sample, or one without a value.
        let rest = missing - causes.values.reduce(0, +)
        if rest > 0 { causes[isImported ? .notImported : nil, default: 0] += rest }
        for (cause, tenths) in causes { sums[cause, default: 0] += tenths }
        let main = causes.max {
            ($0.value, $1.key?.rawValue ?? "") < ($1.value, $0.key?.rawValue ?? "")
        }
        let percent = min(99, Int((due - missing) * 100 / due))
        shares.append(Share(percent: percent, main: main.map(\.key)))
    }

    /// Tenths that values cover on each day.
    ///
    /// - Parameters:
    ///   - extent: Of an imported stream.
    ///   - distances: Tenths between the values of imported streams, as far as they are known; read
    ///     where values are too far apart for the rollups, which have no schedule of files.
    private static func coverage(
        of channel: StoreChannel,
        _ reader: HistoryReader,
        _ times: StoreTimes,
        _ bins: LocalBins,
        _ extent: Range<Int64>?,
        _ distances: inout [StreamID: Int64?]
    ) throws(StoreError) -> [Int64] {
        func days(_ interval: Int64?) throws(StoreError) -> [Int64] {
            var coverage = ProofDayCoverage(bins, times.clock, interval: interval)
            let pieces = HistoryCoverage(reader)
            try pieces.each(channel.stream.id, channel: channel.index) { coverage.add($0) }
            return coverage.days
        }
        let known = try days(nil)
        guard let extent, known.reduce(0, +) < Int64(extent.count) / 2 else { return known }
        let id = channel.stream.id
        if distances[id] == nil {
            let found = try ImportedLedger.interval(channel.stream, reader)
            distances[id] = .some(found)
        }
        guard case .some(let interval?) = distances[id],
            interval > RollupMachine.unscheduledTenths
        else { return known }
        return try days(interval)
    }

    /// Tenths of each day by cause.
    ///
    /// - Parameter edges: Positions of the days, and the end of the last.
    private static func byDay(
        _ stretches: [KnownGaps.Stretch],
        _ edges: [Int64]
    ) -> [[GapCause: Int64]] {
        var days = [[GapCause: Int64]](repeating: [:], count: edges.count - 1)
        var day = 0
        for stretch in stretches {
            while day < days.count, edges[day + 1] <= stretch.range.lowerBound { day += 1 }
            var here = day
            while here < days.count, edges[here] < stretch.range.upperBound {
                let bounds = edges[here]..<max(edges[here], edges[here + 1])
                let part = stretch.range.clamped(to: bounds)
                days[here][stretch.cause, default: 0] += Int64(part.count)
                here += 1
            }
        }
        return days
    }

    /// From the first sample to the last of each stream that was imported, tenths since 1970.
    private static func extents(
        of channels: [StoreChannel],
        _ reader: HistoryReader,
        _ times: StoreTimes
    ) throws(StoreError) -> [StreamID: Range<Int64>] {
        var extents: [StreamID: Range<Int64>] = [:]
        for channel in channels where channel.stream.id.isImported {
            guard extents[channel.stream.id] == nil else { continue }
            let spans = try StreamExtents(reader).spans(of: channel.stream.id)
            let begins = spans.compactMap { times.clock.time($0.boot, $0.from)?.wall.tenths }
            let ends = spans.compactMap { times.clock.time($0.boot, $0.to)?.wall.tenths }
            if let begin = begins.min(), let end = ends.max(), begin < end {
                extents[channel.stream.id] = begin..<end
            }
        }
        return extents
    }
}
