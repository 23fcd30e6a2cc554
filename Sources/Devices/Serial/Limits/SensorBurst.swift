import Core
import HardwareIO

/// How a part hands over measurements that it took one after another: several together, late.
package struct SensorBurst: Hashable, Sendable {
    /// Measurements of a whole burst, 1…60, one interval apart.
    package let count: Int
    /// Time from the last measurement of a burst to its arrival.
    package let delay: Duration

    package init(count: Int, delay: Duration) { (self.count, self.delay) = (count, delay) }
}

/// Joins the measurements of a burst, and computes when the last of them was made.
///
/// A burst is over with its count or with a pause, as after a part's start or a lost line. Bound:
/// the measurements of one burst.
struct BurstCollector: Hashable, Sendable {
    struct Whole: Hashable, Sendable {
        /// In the order in which they were made, one interval apart.
        let measurements: [[Outcome]]
        let last: MonotonicInstant
    }

    let burst: SensorBurst
    private let interval: Duration
    private var held: [[Outcome]] = []
    private var heardAt = MonotonicInstant.boot
    /// When the last measurement of the burst before was made.
    private var previous: MonotonicInstant?
    /// Longer than the longest line takes, and no longer than half of a period.
    private let pause: Duration

    init(_ burst: SensorBurst, every interval: Duration) {
        (self.burst, self.interval) = (burst, interval)
        pause = min(max(interval / 2, LineScanner.longestTransfer), interval * burst.count / 2)
    }

    /// Time from one burst to the next.
    var period: Duration { interval * burst.count }

    /// Instant at which the held measurements count as a whole burst; nil while none are held.
    var end: MonotonicInstant? {
        held.isEmpty ? nil : heardAt.advanced(by: pause)
    }

    /// Adds measurements that arrived together.
    ///
    /// - Returns: The bursts that are whole now, the earliest first.
    mutating func add(_ measurements: [[Outcome]], at now: MonotonicInstant) -> [Whole] {
        var whole: [Whole] = []
        if let end, end <= now, let rest = takeRest() { whole.append(rest) }
        heardAt = now
        held += measurements
        // More than one after a standstill: each is a period older than the one behind it.
        let later = (held.count - 1) / burst.count
        for index in 0..<(held.count / burst.count) {
            let age = burst.delay + period * (later - index)
            let measurements = Array(held.prefix(burst.count))
            held.removeFirst(burst.count)
            let last = time(now.advanced(by: age * -1))
            whole.append(Whole(measurements: measurements, last: last))
        }
        return whole
    }

    /// When the last measurement was made, as a burst may come late and never early: what is late
    /// by less than half a period counts for an eighth, so that a part's own clock is followed.
    private mutating func time(_ latest: MonotonicInstant) -> MonotonicInstant {
        var last = latest
        if let expected = previous?.advanced(by: period), expected < latest {
            let lateness = expected.duration(to: latest)
            if lateness < period / 2 { last = expected.advanced(by: lateness / 8) }
        }
        previous = last
        return last
    }

    /// Returns and forgets the held measurements, as a burst that has no more.
    mutating func takeRest() -> Whole? {
        guard !held.isEmpty else { return nil }
        defer { held.removeAll(keepingCapacity: true) }
        let last = heardAt.advanced(by: burst.delay * -1)
        previous = last
        return Whole(measurements: held, last: last)
    }
}
