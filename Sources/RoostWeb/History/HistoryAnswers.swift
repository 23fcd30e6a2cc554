import ControlProtocol
import Core
import Store
import StoreQueries

/// Answers of the history's routes that can be refused.
struct HistoryAnswers {
    let history: OpenHistory
    private static let day = 86_400

    /// `/explain/{quantity}`: its means beside their guidelines.
    func explain(_ quantity: String) throws -> ExplainReport {
        let channel = try StoreChannel.all(history.reader).first {
            $0.quantity.name == quantity && !$0.stream.id.isImported
        }
        guard let channel else {
            throw Problem.notFound("no channel measures \(quantity.prefix(40))")
        }
        return try ExplainReport(channel, history.reader, history.times, now: history.now)
    }

    /// `/means`: a channel over hours, days, weeks, months or years of a zone's clocks.
    func means(
        _ name: String,
        by unit: LocalUnit,
        in zone: (name: String, zone: Zone),
        _ range: TimeRange
    ) throws -> MeansReport {
        /// Longest range of one answer, in days.
        let daysMax: [LocalUnit: Int] = [.hour: 62, .day: 3_660]
        let channel = try history.channel(name)
        let extent = try StoreExtent(history.reader, history.times, of: channel.stream.id)
        let from = [range.from, extent.oldest?.wall].compactMap(\.self).max()
        let to = [range.to, extent.newest.map { WallTime(tenths: $0.wall.tenths + 10) }]
            .compactMap(\.self).min()
        var bins: LocalBins?
        if let from, let to, from < to {
            let (first, last) = (Int(from.tenths / 10), Int((to.tenths + 9) / 10))
            if let limit = daysMax[unit], last - first > limit * Self.day {
                throw Problem.outOfRange("from", "by=\(unit.rawValue) takes \(limit) days at most")
            }
            bins = LocalBins(by: unit, in: zone.zone, from: first, to: last)
        }
        return try MeansReport(
            channel,
            history.reader,
            history.times,
            by: (unit, bins, zone.name),
            now: history.now
        )
    }

    /// `/ledger`: where the time of channels went, and each gap.
    func ledgers(_ names: [String], _ range: TimeRange) throws -> [ChannelLedger] {
        try names.map { name in
            guard
                let ledger = try ChannelLedger(
                    history.channel(name),
                    history.reader,
                    history.times,
                    range
                )
            else {
                throw Problem.notFound("\(name.prefix(80)) has no ledger")
            }
            return ledger
        }
    }

    /// `/dose`: for a range, else since the newest mark of the counter, else for the last day.
    func dose(_ name: String?, _ range: TimeRange?) throws -> DoseReport {
        guard let channels = try DoseStart.counter(name, in: history.reader) else {
            let what = name.map { "\($0.prefix(80)) counts nothing here" }
            throw Problem.notFound(what ?? "there is no counter here")
        }
        let mark =
            range == nil
            ? try DoseStart.newest(of: channels.stream.device, history.reader, history.times) : nil
        let yesterday = history.now.map { WallTime(seconds: $0.wholeSeconds - Self.day) }
        let window = range ?? TimeRange(from: mark ?? yesterday)
        let summary = try DoseSummary(channels, history.reader, history.times, window)
        return DoseReport(summary, window, isSinceMark: mark != nil)
    }

    /// `/gaps/{device}/{quantity}/{time}`: why there is no value, and what to do.
    func gap(_ name: String, at moment: WallTime, in zone: Zone) throws -> GapReport {
        let channel = try history.channel(name)
        guard let gap = try ChannelGap(channel, history.reader, history.times, at: moment, in: zone)
        else {
            throw try noGap(channel, moment)
        }
        return try GapReport(gap, of: name, history.reader, history.times)
    }

    /// Explains why there is no gap at a moment: values, or no record at all.
    private func noGap(_ channel: StoreChannel, _ moment: WallTime) throws -> Problem {
        let name = channel.name.prefix(80)
        let extent = try StoreExtent(history.reader, history.times, of: channel.stream.id)
        let end = [history.now, extent.newest?.wall].compactMap(\.self).max()
        if let end, moment > end {
            let words = "the record ends at \(end.iso8601), before \(moment.iso8601)"
            return .notFound("\(words); nothing is known of later")
        }
        guard let oldest = extent.oldest?.wall else {
            return .notFound("nothing dates the record of \(name); see `roost clock`")
        }
        if moment < oldest {
            return .notFound(
                "the record of \(name) begins at \(oldest.iso8601), after \(moment.iso8601)"
            )
        }
        return .notFound("\(name) has values around \(moment.iso8601)")
    }
}
