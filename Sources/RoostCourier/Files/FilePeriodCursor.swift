/// Delivery progress of a target with the files of one period.
struct FilePeriodCursor: Hashable, Sendable {
    /// Number of files, and of the samples in their time.
    struct Count: Hashable, Sendable {
        var files = 0
        var samples = 0

        init(files: Int = 0, samples: Int = 0) {
            (self.files, self.samples) = (files, samples)
        }
    }

    /// Seconds since 1970: every window that ended by then is settled (sent or left out).
    var settled: Int
    /// Seconds since 1970: samples before it are counted in `waiting` or settled.
    var seen: Int
    /// Samples that were seen and are not settled.
    var waiting = 0
    var delivered = Count()
    var leftOut: [LeftOut: Count] = [:]
    /// Whether the ring overwrote samples behind `settled`.
    var hasExpired = false
    /// Beginnings of the windows whose files are tried again by themselves, in order.
    ///
    /// Bound: `ItemAsides.limit`, together with the other periods.
    var asides: [Int] = []

    init(from start: Int) { (settled, seen) = (start, start) }

    /// Number of samples counted so far: each is delivered, waiting or left out.
    var sampleCount: Int {
        delivered.samples + waiting + leftOut.values.reduce(0) { $0 + $1.samples }
    }

    /// Beginning of the first window that is not settled.
    var open: Int { min(asides.first ?? settled, settled) }

    /// Settles samples without sending them.
    mutating func leaveOut(_ reason: LeftOut, files: Int, samples: Int) {
        guard files > 0 || samples > 0 else { return }
        leftOut[reason, default: Count()].files += files
        leftOut[reason, default: Count()].samples += samples
        waiting -= samples
    }
}
