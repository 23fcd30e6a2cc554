import Core

/// How long a child waits before its next restart: twice as long each time, until it runs well.
///
/// Pure. Never infinite: every child is restarted again at some time.
package struct RestartDelay: Sendable {
    /// How delays grow.
    package struct Growth: Hashable, Sendable {
        /// Delay before the first restart; zero means that every restart is immediate.
        package let first: Duration
        /// Longest delay; growth ends here.
        package let max: Duration
        /// A run at least this long makes the next delay the first again.
        let goodRun: Duration

        package init(
            first: Duration = .seconds(1),
            max: Duration = .minutes(5),
            goodRun: Duration = .minutes(5)
        ) {
            precondition(first >= .zero && max >= first && goodRun > .zero)
            self.first = first
            self.max = max
            self.goodRun = goodRun
        }

        package static let none = Growth(first: .zero, max: .zero)
    }

    package let growth: Growth
    /// Restarts since the last good run.
    package private(set) var attempt = 0

    package init(_ growth: Growth) {
        self.growth = growth
    }

    /// The delay before the next restart.
    ///
    /// Jitter shortens it by up to a quarter, so that children that failed together do not restart
    /// together.
    ///
    /// - Parameters:
    ///   - ran: How long the child ran; zero for a failed start.
    /// - Returns: ¾ … 1 times `first × 2^(attempts before)`, at most `max`.
    package mutating func next(
        afterRunning ran: Duration,
        using generator: inout SplitMix64
    ) -> Duration {
        if ran >= growth.goodRun { attempt = 0 }
        // 2^30 s is 34 years: any cap is reached by then.
        let grown = growth.first * (1 << min(attempt, 30))
        attempt += 1
        let full = min(grown, growth.max)
        let quarter = full.wholeNanoseconds / 4
        guard quarter > 0 else { return full }
        return full - .nanoseconds(Int64.random(in: 0...quarter, using: &generator))
    }
}
