import Core

/// How far a part of a feed has got.
struct FeedProgress {
    /// Where its pages go on.
    struct Place {
        /// The page that the question began with.
        let first: String
        var path: String
        /// When the first page was asked for; nil where the time was not known.
        let begun: WallTime?
        /// Whether nothing new comes to these pages: a day that is over.
        let isClosed: Bool
    }

    /// Since when it is asked for; nil for no value so far.
    private(set) var reach: FeedPart.Reach
    /// When all of it was taken last.
    private(set) var doneAt: MonotonicInstant?
    /// Whether a turn set out to take it, and it is not taken yet.
    private var isPending = true
    /// Why it was not, the last time; nil while all is well.
    private(set) var trouble: FeedTrouble?
    /// Its server wants no question before.
    private var notBefore: MonotonicInstant?
    /// First pages of days that are over and were taken; fewer than `FeedKind.paths` has.
    private(set) var passed: Set<String> = []
    /// Where a turn stopped for the number of its pages.
    private(set) var rest: Place?
    /// Days that lay too far back.
    private(set) var missedDays = 0

    /// When its newest value was measured; nil for none so far.
    private(set) var newestValue: WallTime?

    init(_ reach: FeedPart.Reach) { (self.reach, newestValue) = (reach, reach.newest) }

    /// Looks whether the service answers without a value.
    ///
    /// - Parameters:
    ///   - part: Which this is the progress of.
    ///   - limit: For so long a service that is well may give nothing.
    ///   - now: The time; nil while it is not known.
    /// - Returns: Since when; nil while it gives some.
    func silence(
        of part: FeedPart,
        longerThan limit: Duration,
        at now: WallTime?
    ) -> DeliveryReason? {
        func reason(_ words: String) -> DeliveryReason {
            let start = "\(part.name): the service answers, and has given "
            return DeliveryReason("nothing-new", start + words)
        }
        guard let newestValue else { return reason("no value so far") }
        guard let now, newestValue.advanced(by: limit) < now else { return nil }
        return reason("nothing since \(newestValue.iso8601)")
    }

    /// A value came.
    mutating func saw(_ time: WallTime) { newestValue = max(newestValue ?? time, time) }

    /// A turn sets out to take it, whatever its server wants.
    mutating func begin(isWoken: Bool) {
        isPending = true
        if isWoken { notBefore = nil }
    }

    /// Whether a turn asks for it now.
    ///
    /// - Parameters:
    ///   - period: After that it is due again.
    /// - Returns: False where its server wants no question yet, and for what was taken already.
    func isDue(at now: MonotonicInstant, every period: Duration) -> Bool {
        if let notBefore, now < notBefore { return false }
        guard !isPending, let doneAt else { return true }
        return doneAt.duration(to: now) >= period
    }

    /// All pages from a first one on were taken.
    mutating func end(_ place: Place) {
        rest = nil
        if place.isClosed { passed.insert(place.first) }
    }

    /// Records that a request without a day fetched all values up to the time it was made.
    mutating func reached(_ time: WallTime?) {
        if let time { reach.all = time }
    }

    mutating func stop(at place: Place) { rest = place }

    /// Records that the part was fetched completely.
    mutating func finish(_ wall: WallTime?, at now: MonotonicInstant, missed: Int) {
        (doneAt, trouble, notBefore, isPending, passed) = (now, nil, nil, false, [])
        missedDays += missed
        if let wall { reach = FeedPart.Reach(all: wall, newest: wall) }
    }

    /// It was not.
    mutating func fail(_ trouble: FeedTrouble, at now: MonotonicInstant) {
        self.trouble = trouble
        notBefore = trouble.afterSeconds.map { now.advanced(by: .seconds($0)) }
        // A page that is refused is not asked for again.
        if trouble.isFinal { rest = nil }
    }
}
