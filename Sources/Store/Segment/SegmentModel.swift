/// The coder's expectation of one channel's next delta, from the earlier ones.
///
/// The same arithmetic, in integers, on both sides; `SPEC.md` describes it.
struct SegmentModel {
    /// A running mean of |delta|, in 1/256, over about sixteen rows: 0…261 888.
    private(set) var activity = 256

    /// A delta no larger than this has a token of its own.
    static let smallDelta = 15

    /// How lively the channel is: 0 below a mean of 1/4, then one more for each doubling, up to 11.
    @inline(__always)
    var level: Int { min(Int.bitWidth - (activity >> 6).leadingZeroBitCount, 11) }

    /// Where the codes and tables for the next delta are.
    @inline(__always)
    func context(beside neighbour: Int64) -> Int {
        level * 3 + Int(truncatingIfNeeded: min(neighbour.magnitude, 2))
    }

    /// Adds a delta of −15…15.
    @inline(__always)
    mutating func learn(small magnitude: Int) {
        activity &+= (magnitude << 8 &- activity) >> 4
    }

    /// Adds a larger delta, which counts for no more than eight times the mean and 16.
    mutating func learn(large magnitude: UInt64) {
        let bound = min(16 + activity >> 5, 1_023)
        learn(small: Int(min(magnitude, UInt64(bound))))
    }
}

/// The interval expected between rows, and how it follows irregular ones.
struct SegmentTempo {
    /// The running mean, in 1/16 of a tick.
    private var sixteenths: Int64 = 0
    private(set) var interval: Int64 = 0

    mutating func set(_ interval: Int64) {
        self.interval = interval
        sixteenths = interval << 4
    }

    /// Follows by a sixteenth of the residual, at most four ticks.
    mutating func follow(_ residual: Int64) {
        sixteenths += min(max(residual, -64), 64)
        interval = max(0, (sixteenths + 8) >> 4)
    }
}
