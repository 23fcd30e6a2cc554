import Core

/// The events of a life, line by line, and a hash of them: the same seed has the same hash.
///
/// Lines are hashed in their order. Readings of one instant have none, as tasks of their own serve
/// the devices: their digests are added up, and the sums are hashed in the order of time.
struct LifeLog {
    /// Receives each line as it comes; nil keeps the hash alone.
    var sink: ((String) -> Void)?
    private var lines = Hash()
    private var readings = Hash()
    /// The readings of the newest instant.
    private var newest: (instant: MonotonicInstant, sum: UInt64)?

    /// FNV-1a, 64 bits, over every line and every reading.
    var hash: UInt64 {
        var whole = self
        whole.mixNewest()
        whole.lines.mix(whole.readings.state)
        return whole.lines.state
    }

    mutating func line(_ text: String, at instant: MonotonicInstant) {
        lines.mix(UInt64(bitPattern: instant.nanoseconds))
        for byte in text.utf8 { lines.mix(byte) }
        sink?("\(instant) \(text)")
    }

    /// Readings are too many for lines of their own.
    mutating func reading(_ digest: UInt64, at instant: MonotonicInstant) {
        if newest?.instant != instant { mixNewest() }
        newest = (instant, (newest?.sum ?? 0) &+ digest &* 0x9E37_79B9_7F4A_7C15)
    }

    private mutating func mixNewest() {
        guard let (instant, sum) = newest else { return }
        newest = nil
        readings.mix(UInt64(bitPattern: instant.nanoseconds))
        readings.mix(sum)
    }

    private struct Hash {
        var state: UInt64 = 0xCBF2_9CE4_8422_2325

        mutating func mix(_ byte: UInt8) { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }

        mutating func mix(_ word: UInt64) {
            // One step for eight bytes: a year has millions of readings.
            state = (state ^ word) &* 0x9E37_79B9_7F4A_7C15
            state ^= state >> 29
        }
    }
}

/// A hash of a sample's outcomes that is the same in every process.
enum SampleDigest {
    static func of(_ outcomes: some Sequence<Outcome>) -> UInt64 {
        var sum: UInt64 = 0xCBF2_9CE4_8422_2325
        for outcome in outcomes {
            switch outcome {
            case .value(let value, let quality):
                sum = (sum ^ UInt64(bitPattern: value.mantissa)) &* 0x9E37_79B9_7F4A_7C15
                sum = (sum ^ UInt64(quality.rawValue)) &* 0x100_0000_01B3
            case .noData(let reason):
                for byte in reason.rawValue.utf8 { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01B3 }
            }
            sum ^= sum >> 31
        }
        return sum
    }
}
