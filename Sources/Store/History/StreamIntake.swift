import Core

/// Packs one stream's samples, and their rollups, into its chains.
final class StreamIntake {
    private let stream: HistoryCatalog.Stream
    private let chains: HistoryChains
    private var writer: SampleWriter
    private var machines: [RollupMachine] = []
    private var boot: UInt32 = 0
    private var last: Tick?
    private var blocks: [RollupEnd: RollupWriter] = [:]
    /// Tenths after which the next sample is expected, or nil.
    var interval: Int64?

    private struct RollupEnd: Hashable {
        let channel: Int
        let tier: RollupTier
    }

    init(_ stream: HistoryCatalog.Stream, _ chains: HistoryChains) throws(StoreError) {
        (self.stream, self.chains) = (stream, chains)
        writer = SampleWriter(decimals: stream.decimals, try chains.samples(stream))
        interval = try chains.heads(stream.place).interval
    }

    var id: StreamID { stream.description.id }

    func append(_ boot: UInt32, _ tick: Tick, _ outcomes: [Outcome]) throws(StoreError) {
        try writer.append(boot: boot, tick, outcomes)
        if boot != self.boot { try enter(boot) }
        for (channel, outcome) in outcomes.enumerated() {
            try machines[channel].add(
                tick.tenths,
                outcome,
                decimals: stream.decimals[channel],
                interval: interval
            ) { (tier, bucket) throws(StoreError) in
                try put(bucket, channel, tier)
            }
        }
    }

    func finish() throws(StoreError) {
        try writer.close()
        try leave()
        for writer in blocks.values { writer.store() }
        let interval = interval
        try chains.change(stream.place) { ($0.interval, $0.isPassed) = (interval, false) }
    }

    private func enter(_ boot: UInt32) throws(StoreError) {
        try leave()
        self.boot = boot
        let heads = try chains.heads(stream.place)
        machines = stream.decimals.indices.map { channel in
            RollupMachine(
                boot: boot,
                coveredUntil: heads.boot == boot ? heads.coveredUntil[channel] : nil
            )
        }
    }

    /// Closes the open slots of the boot, and keeps the end of the time that values cover.
    private func leave() throws(StoreError) {
        guard boot > 0 else { return }
        for channel in machines.indices {
            try machines[channel].finish { (tier, bucket) throws(StoreError) in
                try put(bucket, channel, tier)
            }
        }
        let (boot, covered) = (boot, machines.map(\.coveredUntil))
        try chains.change(stream.place) { heads in
            heads.boot = boot
            for (channel, until) in covered.enumerated() { heads.coveredUntil[channel] = until }
        }
    }

    private func put(
        _ bucket: PlacedBucket,
        _ channel: Int,
        _ tier: RollupTier
    ) throws(StoreError) {
        let end = RollupEnd(channel: channel, tier: tier)
        if let writer = blocks[end] { return try writer.put(bucket) }
        let writer = RollupWriter(tier, try chains.buckets(stream, channel, tier))
        blocks[end] = writer
        try writer.put(bucket)
    }
}

/// Packs buckets into the slots of one chain.
private final class RollupWriter {
    private let tier: RollupTier
    private let appender: HistoryAppender
    private var block: RollupBlock
    private var first: HistoryPosition

    init(_ tier: RollupTier, _ appender: HistoryAppender) {
        (self.tier, self.appender) = (tier, appender)
        let capacity = appender.capacity
        block = RollupBlock(tier: tier, capacity: capacity, appender.slot.payload)
        first = appender.slot.header.first
    }

    func put(_ bucket: PlacedBucket) throws(StoreError) {
        if appender.newest == nil { try appender.advance() }
        guard let rest = add(bucket) else { return }
        store()
        try appender.advance()
        block = RollupBlock(tier: tier, capacity: appender.capacity)
        let left = add(rest)
        assert(left == nil, "an empty slot takes a bucket")
    }

    func store() {
        guard let last = block.last, block.count > 0 else { return }
        appender.replace(
            block.bytes,
            first: first,
            last: HistoryPosition(bucket: last, tier),
            count: block.count
        )
    }

    private func add(_ bucket: PlacedBucket) -> PlacedBucket? {
        let isEmpty = block.count == 0
        let rest = block.put(bucket)
        if isEmpty { first = HistoryPosition(bucket: bucket, tier) }
        return rest
    }
}

extension HistoryPosition {
    /// Where a bucket begins.
    init(bucket: PlacedBucket, _ tier: RollupTier) {
        self.init(boot: bucket.boot, tick: Tick(tenths: bucket.index &* tier.tenths))
    }
}

extension FixedPoint {
    /// The mantissa at other decimals, digits beyond rounded away from zero at half; saturating.
    func mantissa(rounded decimals: Int) -> Int64 {
        if let exact = mantissa(atDecimals: decimals) { return exact }
        guard decimals < self.decimals else { return mantissa < 0 ? .min : .max }
        let factor = (decimals..<self.decimals).reduce(Int64(1)) { product, _ in product * 10 }
        let (quotient, remainder) = mantissa.quotientAndRemainder(dividingBy: factor)
        guard remainder.magnitude * 2 >= factor.magnitude else { return quotient }
        return mantissa < 0 ? quotient - 1 : quotient + 1
    }
}

/// Packs events into the slots of their ring: boot 4, length 2 bytes, then the journal's record.
final class EventWriter {
    private static let headerByteCount = 6
    private let chains: HistoryChains

    init(_ chains: HistoryChains) { self.chains = chains }

    func append(_ event: Event, boot: UInt32) throws(StoreError) {
        let appender = try chains.events()
        var bytes = [UInt8](repeating: 0, count: Self.headerByteCount)
        let record = JournalRecordCodec.encode([.event(event)])
        HistoryBytes.put(boot, in: &bytes, at: 0)
        HistoryBytes.put(UInt16(record.count), in: &bytes, at: 4)
        bytes += record
        if bytes.count > appender.room { try appender.advance() }
        let position = HistoryPosition(boot: boot, tick: Tick(event.instant))
        appender.append(bytes, from: position, to: position, count: 1)
    }
}
