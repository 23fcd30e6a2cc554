import Core
import Runtime

/// Events that reach a session, besides bytes that arrive.
package enum SensorEvent: Hashable, Sendable {
    case start
    /// The instant that the session waits for has come.
    case time
    /// Another mode is wanted, since an instant.
    case mode(SensorMode, since: MonotonicInstant)
    case stop
    /// The line is open again; what is behind it has power since then, nil when that is not known.
    case opened(poweredAt: MonotonicInstant?)
    /// A stop came before the line was open again.
    case notOpened
    /// The process did not run in this stretch, so nothing of the line was heard.
    case stoodStill(Range<MonotonicInstant>)
}

/// Actions that a session asks for, in this order.
package enum SensorAction: Hashable, Sendable {
    case write([UInt8])
    case discardInput
    /// One sample.
    case accept([Reading])
    /// Intervals without a measurement, and why.
    case miss(NoData, MissedIntervals)
    case record(Event)
    /// Progress, and the time until the next.
    case beat(nextWithin: Duration)
    /// Time that a laser, fan or heater was on.
    case laser(LaserTime)
    /// Wall time that the part has reported often enough to be trusted.
    case time(WallTime)
}

/// Condition that a session waits for once its actions are carried out.
package enum SensorWait: Hashable, Sendable {
    /// Bytes, or the instant without any; `count` of them complete what has begun.
    case bytes(count: Int, until: MonotonicInstant)
    case time(until: MonotonicInstant, tolerance: Duration)
    /// The line closed and opened anew.
    case line
    /// Nothing: the session is over, because of another part on the line or in order.
    case end(AnotherPart?)
}

/// Equal stretches of time, each without a measurement.
package struct MissedIntervals: Hashable, Sendable {
    package let first: MonotonicInstant
    package let interval: Duration
    package let count: Int

    init(from first: MonotonicInstant, each interval: Duration, count: Int) {
        (self.first, self.interval, self.count) = (first, interval, count)
    }

    /// One missing measurement at an instant.
    init(at instant: MonotonicInstant) { self.init(from: instant, each: .zero, count: 1) }

    package var instants: some Sequence<MonotonicInstant> {
        (0..<count).lazy.map { first.advanced(by: interval * $0) }
    }
}
