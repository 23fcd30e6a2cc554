import Core
import Store

/// Means of a channel over hours, days, weeks, months or years of a zone's clocks.
///
/// Days and longer are summed from quarter hours, hours from minutes: one that the boundary cuts
/// counts where it begins.
package struct ChannelMeans: Sendable {
    /// Part of a bin that values must cover for its mean to count.
    package static let enough = 0.75

    package struct Mean: Hashable, Sendable {
        package let bin: LocalBins.Bin
        package fileprivate(set) var bucket = RollupBucket()

        /// 0…1: how much of it values cover.
        package var coverage: Double {
            min(1, Double(bucket.covered) / Double(10 * max(1, bin.to - bin.from)))
        }
        package var isEnough: Bool { coverage >= ChannelMeans.enough }
    }

    package let channel: StoreChannel
    /// Means of all bins in order, also of those without values.
    package let means: [Mean]

    /// Reads them.
    package init(
        _ channel: StoreChannel,
        _ reader: HistoryReader,
        _ times: StoreTimes,
        _ bins: LocalBins,
        from tier: RollupTier
    ) throws(StoreError) {
        self.channel = channel
        var means = bins.bins.map { Mean(bin: $0) }
        guard let first = means.first, let last = means.last else {
            self.means = means
            return
        }
        let range = TimeRange(
            from: WallTime(nanoseconds: Int64(first.bin.from) * 1_000_000_000),
            to: WallTime(nanoseconds: Int64(last.bin.to) * 1_000_000_000)
        )
        let spans = try channel.spans(reader, times, range)
        try HistorySeries(reader).eachBucket(
            channel.stream.id,
            channel: channel.index,
            spans,
            of: tier
        ) { boot, tick, bucket in
            guard let wall = times.clock.time(boot, tick)?.wall else { return }
            let second = wall.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000).quotient
            // The first bucket of a span may begin a little earlier than the first bin.
            let place = bins.place(of: max(Int(second), first.bin.from))
            if let place { means[place].bucket.merge(bucket) }
        }
        self.means = means
    }

    package static func tier(for unit: LocalUnit) -> RollupTier {
        unit == .hour ? .minute : .quarterHour
    }

    /// The mean of the time that ends at a moment.
    ///
    /// - Parameters:
    ///   - end: Seconds since 1970.
    /// - Returns: One, without values where there are none.
    package static func rolling(
        _ channel: StoreChannel,
        _ reader: HistoryReader,
        _ times: StoreTimes,
        seconds: Int,
        before end: Int
    ) throws(StoreError) -> Mean {
        let bin = LocalBins.Bin(from: end - seconds, to: end, label: "")
        let tier: RollupTier = seconds <= 172_800 ? .minute : .quarterHour
        let means = try Self(channel, reader, times, LocalBins(bin), from: tier).means
        return means.first ?? Mean(bin: bin)
    }
}
