import Core

/// Progress of one part of a feed.
struct FeedProgress {
    /// A page to go on with.
    struct Place {
        /// The first page of the request.
        let first: String
        var path: String
        /// Time when the first page was asked for; nil where it was unknown.
        let begun: WallTime?
        /// Whether these pages get nothing new, as for a day that is over.
        let isClosed: Bool
    }

    /// Times up to which values are there, where the next request begins; nil before any value.
    private(set) var reach: FeedPart.Reach
    /// Time when the part was last fetched completely.
    private(set) var doneAt: MonotonicInstant?
    /// Whether a turn has begun to fetch it and has not finished.
    private var isPending = true
    /// Why the last fetch failed; nil after a success.
    private(set) var trouble: FeedTrouble?
    /// Time before which its server wants no request.
    private var notBefore: MonotonicInstant?
    /// First pages of days that are over and fetched; fewer than `FeedKind.paths` has.
    private(set) var passed: Set<String> = []
    /// Page at which a turn stopped, because of the limit on pages.
    private(set) var rest: Place?
    /// Number of days that lay too far back to be asked for.
    private(set) var missedDays = 0

    /// Time of its newest value; nil for none so far.
    private(set) var newestValue: WallTime?

    init(_ reach: FeedPart.Reach) { (self.reach, newestValue) = (reach, reach.newest) }

    /// Checks whether the service answers without values.
    ///
    /// - Parameters:
    ///   - part: The part that this is the progress of.
    ///   - limit: Time without new values that is normal for the source.
    ///   - now: The time; nil while it is not known.
    /// - Returns: The part with the time since it has no values; nil while it has some.
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

    /// Records the time of a value.
    mutating func saw(_ time: WallTime) { newestValue = max(newestValue ?? time, time) }

    /// Begins a turn that fetches it; a woken turn ignores the server's wish to wait.
    mutating func begin(isWoken: Bool) {
        isPending = true
        if isWoken { notBefore = nil }
    }

    /// Whether a turn fetches it now.
    ///
    /// - Parameters:
    ///   - period: Time after which it is due again.
    /// - Returns: False where its server wants no question yet, and for what was taken already.
    func isDue(at now: MonotonicInstant, every period: Duration) -> Bool {
        if let notBefore, now < notBefore { return false }
        guard !isPending, let doneAt else { return true }
        return doneAt.duration(to: now) >= period
    }

    /// Records that all pages from a first one on were fetched.
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

    /// Records that the part could not be fetched.
    mutating func fail(_ trouble: FeedTrouble, at now: MonotonicInstant) {
        self.trouble = trouble
        notBefore = trouble.afterSeconds.map { now.advanced(by: .seconds($0)) }
        // A page that is refused is not asked for again.
        if trouble.isFinal { rest = nil }
    }
}
