import Readings

/// What happened in a life, line by line, and a hash of it: the same seed has the same one.
struct LifeLog {
    /// Takes each line as it comes; nil keeps the hash alone.
    var sink: ((String) -> Void)?
    /// FNV-1a, 64 bits, over every line and every reading.
    private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func line(_ text: String, at instant: MonotonicInstant) {
        mix(UInt64(bitPattern: instant.nanoseconds))
        for byte in text.utf8 { mix(byte) }
        sink?("\(instant) \(text)")
    }

    /// Readings are too many for lines of their own.
    mutating func reading(_ digest: UInt64, at instant: MonotonicInstant) {
        mix(UInt64(bitPattern: instant.nanoseconds))
        mix(digest)
    }

    private mutating func mix(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }

    private mutating func mix(_ word: UInt64) {
        // One step for eight bytes: a year has millions of readings.
        hash = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
        hash ^= hash >> 29
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
