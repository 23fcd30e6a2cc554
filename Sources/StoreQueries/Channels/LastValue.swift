import Core
import Store

/// The last value of a channel in a history, however long ago, and its place.
package struct LastValue: Hashable, Sendable {
    package let value: Double
    package let boot: BootID
    package let tick: Tick

    /// Looks at the stream's last sample, else finds the last six hours with a value by the
    /// coarsest rollup and reads their samples; where those are not kept, the last mean counts.
    ///
    /// - Parameter latest: The last sample of its stream.
    /// - Returns: Nil when the history has no value of it.
    package init?(
        of channel: StoreChannel,
        _ latest: BootSample?,
        _ reader: HistoryReader
    ) throws(StoreError) {
        if let latest, let value = latest.value(of: channel) {
            self.init(value, latest.boot, latest.tick)
            return
        }
        var piece: HistoryCoverage.Piece?
        try HistoryCoverage(reader).each(channel.stream.id, channel: channel.index) {
            piece = $0
            return true
        }
        guard let piece else { return nil }
        let span = HistorySpan(
            boot: piece.boot,
            from: piece.from,
            to: Tick(tenths: piece.from.tenths + piece.tier.tenths)
        )
        var found: LastValue?
        let samples = try RawSamples(reader, channel.stream.id, [span])
        while let sample = try samples.next() {
            guard let value = sample.value(of: channel) else { continue }
            found = LastValue(value, sample.boot, sample.tick)
        }
        if found == nil {
            try HistorySeries(reader).eachBucket(
                channel.stream.id,
                channel: channel.index,
                [span],
                of: .minute
            ) { boot, tick, bucket in
                guard let mean = bucket.mean else { return }
                found = LastValue(channel.number(mean), boot, tick)
            }
        }
        guard let found else { return nil }
        self = found
    }

    private init(_ value: Double, _ boot: BootID, _ tick: Tick) {
        (self.value, self.boot, self.tick) = (value, boot, tick)
    }
}

extension BootSample {
    fileprivate func value(of channel: StoreChannel) -> Double? {
        outcomes.indices.contains(channel.index)
            ? outcomes[channel.index].counted?.doubleValue : nil
    }
}
