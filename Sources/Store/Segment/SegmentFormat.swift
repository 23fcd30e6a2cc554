import Core

/// Numbers that encoder and decoder share; their meaning is in `SPEC.md`, *Segment*.
enum SegmentFormat {
    static let version: UInt8 = 1
    static let channelRange = 1...16
    /// Rows in one segment, at most: twelve days at 1 Hz.
    ///
    /// A row can need no bits at all, so the size of a segment does not bound its rows. One row
    /// more is a programmer error; a segment that claims more is refused.
    static let maximumCount = 1 << 20
    /// Largest tick, in tenths of a second: ± 292 years, as for an instant in nanoseconds.
    static let maximumTick = Int64.max / 100_000_000
    /// Bytes that a row can add, at most, for each channel and for its time.
    ///
    /// A change of status needs 3 + 1 + 3 bytes, a delta 10 + 6 + 64 bits.
    static let maximumByteCountPerChannel = 24

    /// The operations of the exception stream, in the low three bits of its heads.
    enum Operation: UInt8 {
        case intervalOnce = 0
        case intervalFromNow = 1
        case beginJitter = 2
        case endJitter = 3
        case values = 4
        case noData = 5
    }
}

/// The kind of outcome that a channel has, row after row, until an exception changes it.
package enum ChannelStatus: Hashable, Sendable {
    /// Values with this many decimals, 0…9, and this quality.
    case values(decimals: Int, Quality)
    case noData(NoData)

    init(_ outcome: Outcome) {
        self =
            switch outcome {
            case .value(let value, let quality): .values(decimals: value.decimals, quality)
            case .noData(let reason): .noData(reason)
            }
    }

    var hasValues: Bool { if case .values = self { true } else { false } }

    /// The outcome of a row whose mantissa is this, which is not read when there is no data.
    package func outcome(_ mantissa: Int64) -> Outcome {
        switch self {
        case .values(let decimals, let quality):
            .value(FixedPoint(mantissa, decimals: decimals), quality)
        case .noData(let reason): .noData(reason)
        }
    }
}

extension NoData {
    /// The number on the card, 0…15: never given to another reason.
    var storageCode: UInt8 {
        switch self {
        case .replyTimeout: 0
        case .badFrames: 1
        case .warmingUp: 2
        case .unplugged: 3
        case .unusable: 4
        case .stuck: 5
        case .stopped: 6
        case .noFix: 7
        case .notMeasured: 8
        case .stale: 9
        case .gated: 10
        case .outOfRange: 11
        case .muted: 12
        case .notKept: 13
        }
    }

    init?(storageCode: UInt8) {
        guard let found = Self.allCases.first(where: { $0.storageCode == storageCode }) else {
            return nil
        }
        self = found
    }
}
