import Core

/// Whether a target may be asked now, and why not: held, trouble, back-off, refusals.
struct DeliveryState: Sendable {
    /// Refused items in a row after which a person has to look.
    static let refusalLimit = 10

    /// Reason why sending is held until a person acts; nil while it is not held.
    private(set) var held: DeliveryReason?
    /// The last failure; nil after a success.
    var trouble: DeliveryReason?
    /// Earliest time of the next request.
    var notBefore = MonotonicInstant.boot
    /// Shortest time between two requests.
    let pace: Duration
    var delay: RetryDelay
    /// Refused items in a row.
    var refusals = 0

    /// - Parameter seed: For the random part of the back-off.
    init(pace: Duration = .zero, seed: UInt64) {
        (self.pace, delay) = (pace, RetryDelay(seed: seed))
    }

    /// Records a request beside the order of the items.
    mutating func rest(at now: MonotonicInstant) {
        notBefore = max(notBefore, now.advanced(by: pace))
    }

    /// Returns the earliest time of a try that a person or a new route asks for.
    mutating func soon(at now: MonotonicInstant, within time: Duration) -> MonotonicInstant {
        now.advanced(by: time > .zero ? delay.spread(time) : .zero)
    }

    /// Ends the waiting, after a new route, a repaired secret or `roost outbox flush`.
    mutating func wake(at now: MonotonicInstant, within time: Duration = .zero) {
        notBefore = min(notBefore, soon(at: now, within: time))
    }

    mutating func fail(
        _ reason: DeliveryReason,
        after seconds: Int? = nil,
        at now: MonotonicInstant
    ) {
        trouble = reason
        notBefore = now.advanced(by: delay.fail(reason, afterSeconds: seconds))
    }

    /// Holds everything until a person acts; one item is tried each hour.
    mutating func hold(_ reason: DeliveryReason, at now: MonotonicInstant) -> [DeliveryNotice] {
        notBefore = now.advanced(by: delay.spread(RetryDelay.probe))
        return hold(reason)
    }

    /// Holds without a rest.
    mutating func hold(_ reason: DeliveryReason) -> [DeliveryNotice] {
        let isNew = held == nil
        (held, trouble) = (reason, reason)
        return isNew ? [.held(reason)] : []
    }

    /// Ends a hold.
    mutating func resume() -> [DeliveryNotice] {
        defer { held = nil }
        return held == nil ? [] : [.resumed]
    }

    mutating func succeed() -> [DeliveryNotice] {
        delay.succeed()
        trouble = nil
        return resume()
    }

    /// Counts a refused item; too many in a row hold everything.
    mutating func refuse(_ reason: DeliveryReason, at now: MonotonicInstant) -> [DeliveryNotice] {
        trouble = reason
        refusals += 1
        return refusals < Self.refusalLimit ? [] : hold(reason, at: now)
    }
}
