import Core

/// Searches for the moment before which a receiver refuses samples for their age.
///
/// Pure. It begins with a refused sample and looks at later ones, each time twice as far, until one
/// is accepted; then it halves the time between the two: log₂ of it in minutes, twice at most.
/// Where the receiver does not name age as its reason, the search is within one stream, finds the
/// edge to a second, and also looks at `checkCount` samples below it: one that is accepted shows
/// that age is not the reason.
struct AgeSearch: Hashable, Sendable {
    enum Step: Hashable, Sendable {
        /// Look whether the receiver accepts the first sample after a moment.
        case look(after: WallTime)
        /// Samples up to this moment are refused, and later ones are accepted.
        case found(WallTime)
        /// All waiting samples are refused, the newest too.
        case everything
        /// Younger samples are refused and older ones accepted, so age is not the reason.
        case otherReason
    }

    private static let minute: Int64 = 60_000_000_000
    static let checkCount: Int64 = 8

    let reason: DeliveryReason
    /// Stream of the samples; nil means all streams.
    let stream: StreamID?
    /// Times of the first and of the newest sample known to be refused.
    private let first: WallTime
    private var refused: WallTime
    /// Upper bound of the edge: the next sample was accepted, or there is none; nil before that.
    private var end: WallTime?
    /// Whether a sample was accepted.
    private var hasTaken = false
    private var leap = Self.minute
    /// Number of finished checks below the edge.
    private var checked: Int64 = 0
    private var isDisproved = false

    init(_ reason: DeliveryReason, refused: WallTime, of stream: StreamID?) {
        (self.reason, first, self.refused) = (reason, refused, refused)
        self.stream = reason.isAge ? nil : stream
    }

    /// A receiver that says how many samples it dropped needs no finer edge than a minute.
    private var precision: Int64 { reason.isAge ? Self.minute : 1_000_000_000 }

    var step: Step {
        if isDisproved { return .otherReason }
        guard let end else { return .look(after: refused.advanced(by: leap)) }
        let gap = end.nanoseconds - refused.nanoseconds
        guard gap <= precision else { return .look(after: refused.advanced(by: gap / 2)) }
        guard hasTaken else { return .everything }
        guard !reason.isAge, first < refused, checked < Self.checkCount else {
            return .found(refused)
        }
        return .look(after: check)
    }

    /// Time of the next check below the edge.
    private var check: WallTime {
        let part = (refused.nanoseconds - first.nanoseconds) / (Self.checkCount + 1)
        return first.advanced(by: part * (checked + 1))
    }

    /// Records the result of the step that `step` asked for.
    ///
    /// - Parameters:
    ///   - time: Time of the first sample after it; nil when there is none.
    ///   - isTaken: Whether the receiver took it.
    mutating func record(_ time: WallTime?, isTaken: Bool) {
        guard case .look(let moment) = step else { return }
        if let end, end.nanoseconds - refused.nanoseconds <= precision {
            // A sample at or behind the edge says nothing about those below it.
            isDisproved = isTaken && (time.map { $0 < refused } ?? false)
            checked += 1
            return
        }
        if let time, !isTaken, end.map({ time < $0 }) ?? true {
            refused = time
            let (doubled, overflow) = leap.multipliedReportingOverflow(by: 2)
            leap = overflow ? leap : doubled
            return
        }
        // A sample behind the end was tried before.
        hasTaken = hasTaken || isTaken
        end = end.map { min($0, moment) } ?? moment
    }
}

extension WallTime {
    fileprivate func advanced(by nanoseconds: Int64) -> WallTime {
        let (sum, overflow) = self.nanoseconds.addingReportingOverflow(nanoseconds)
        return WallTime(nanoseconds: overflow ? .max : sum)
    }
}
