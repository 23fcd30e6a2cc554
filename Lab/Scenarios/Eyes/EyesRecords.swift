import Core

/// Observations of the camera's program while it lived.
struct EyesRecords: Sendable {
    /// A stretch in which a process followed the station's stream.
    struct Follow: Sendable {
        let segment: Int
        let from: MonotonicInstant
        var to: MonotonicInstant?
        /// Motions that came, by `EyesRecords.key`.
        var motions: Set<Int64> = []
        /// Items that the station left out.
        var omittedCount = 0
    }

    /// A picture that the ring took.
    struct Kept: Sendable {
        let number: UInt64
        /// Number of the picture in the camera's own count.
        let picture: Int
        let at: MonotonicInstant
    }

    var follows: [Follow] = []
    var kept: [Kept] = []
    /// Faults of the program, as text.
    var faults: [String] = []

    /// A motion within its boot: its milliseconds, as seconds in JSON have no more digits.
    static func key(_ instant: MonotonicInstant) -> Int64 {
        (instant.nanoseconds + 500_000) / 1_000_000
    }
}
