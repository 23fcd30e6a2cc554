/// How far a target has got with the files of one period.
package struct FilePeriodCursor: Hashable, Sendable {
    /// Files and the samples in their time.
    package struct Count: Hashable, Sendable {
        package var files = 0
        package var samples = 0

        package init(files: Int = 0, samples: Int = 0) {
            (self.files, self.samples) = (files, samples)
        }
    }

    /// Seconds since 1970: every window that ended by then has its fate.
    package var settled: Int
    /// Samples before it are counted in `waiting` or have their fate.
    package var seen: Int
    /// Samples that were seen and have no fate yet.
    package var waiting = 0
    package var delivered = Count()
    package var leftOut: [LeftOut: Count] = [:]
    /// Whether the ring wrote over samples behind `settled`.
    package var hasExpired = false
    /// Where the windows of files begin that are tried again by themselves, in order; together with
    /// other periods at most `ItemAsides.limit`.
    package var asides: [Int] = []

    package init(from start: Int) { (settled, seen) = (start, start) }

    /// Samples that this target knows of: each delivered, waiting or left out.
    package var sampleCount: Int {
        delivered.samples + waiting + leftOut.values.reduce(0) { $0 + $1.samples }
    }

    /// The beginning of the first window without a fate.
    var open: Int { min(asides.first ?? settled, settled) }

    /// Gives samples a fate without being sent.
    package mutating func leaveOut(_ reason: LeftOut, files: Int, samples: Int) {
        guard files > 0 || samples > 0 else { return }
        leftOut[reason, default: Count()].files += files
        leftOut[reason, default: Count()].samples += samples
        waiting -= samples
    }
}
