import Core

/// Where the chains of one stream end, and what its rollups must remember between transactions.
struct StreamHeads: Hashable, Sendable {
    static let channelCountMax = 16
    static let byteCount = 24 + channelCountMax * 32

    /// The newest slot of a chain.
    struct Newest: Hashable, Sendable {
        var slot: Int
        var depth: UInt32
    }

    var samples: Newest?
    /// Tenths between samples that were expected last, or nil.
    var interval: Int64?
    /// The boot that `coveredUntil` belongs to.
    var boot: UInt32 = 0
    /// The ring of samples came round to the newest slot and left it alone: all else is gone.
    var isPassed = false
    var coveredUntil = [Int64?](repeating: nil, count: channelCountMax)
    /// The newest slot of each rollup, by channel, then by tier.
    var rollups = [Newest?](
        repeating: nil,
        count: channelCountMax * RollupTier.allCases.count
    )

    init() {}

    init(_ bytes: [UInt8]) {
        func newest(_ offset: Int) -> Newest? {
            let slot: UInt32 = HistoryBytes.get(bytes, at: offset)
            guard slot > 0 else { return nil }
            return Newest(slot: Int(slot) - 1, depth: HistoryBytes.get(bytes, at: offset + 4))
        }
        func optional(_ offset: Int) -> Int64? {
            let value: Int64 = HistoryBytes.get(bytes, at: offset)
            return value == 0 ? nil : value - 1
        }
        samples = newest(0)
        interval = optional(8)
        boot = HistoryBytes.get(bytes, at: 16)
        isPassed = HistoryBytes.get(bytes, at: 20) == 1 as UInt32
        for channel in 0..<Self.channelCountMax {
            let offset = 24 + channel * 32
            coveredUntil[channel] = optional(offset)
            for tier in RollupTier.allCases {
                self[channel, tier] = newest(offset + 8 + tier.rawValue * 8)
            }
        }
    }

    subscript(channel: Int, tier: RollupTier) -> Newest? {
        get { rollups[channel * RollupTier.allCases.count + tier.rawValue] }
        set { rollups[channel * RollupTier.allCases.count + tier.rawValue] = newValue }
    }

    var bytes: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.byteCount)
        func put(_ newest: Newest?, _ offset: Int) {
            guard let newest else { return }
            HistoryBytes.put(UInt32(newest.slot) + 1, in: &bytes, at: offset)
            HistoryBytes.put(newest.depth, in: &bytes, at: offset + 4)
        }
        func put(_ value: Int64?, _ offset: Int) {
            HistoryBytes.put(value.map { $0 + 1 } ?? 0, in: &bytes, at: offset)
        }
        put(samples, 0)
        put(interval, 8)
        HistoryBytes.put(boot, in: &bytes, at: 16)
        HistoryBytes.put(isPassed ? 1 : 0 as UInt32, in: &bytes, at: 20)
        for channel in 0..<Self.channelCountMax {
            let offset = 24 + channel * 32
            put(coveredUntil[channel], offset)
            for tier in RollupTier.allCases {
                put(self[channel, tier], offset + 8 + tier.rawValue * 8)
            }
        }
        return bytes
    }
}
