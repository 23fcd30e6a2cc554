import ControlProtocol
import Core

/// State of a delivery, for reports: whether it goes, why not, and when the next try is.
package struct DeliveryStanding: Hashable, Sendable {
    /// An item that the receiver refuses while it accepts others.
    package struct Refusal: Hashable, Sendable {
        /// Name of the item, such as `channel pm25` or `a sample of dust at 2026-11-22T04:30:00Z`.
        package let name: String
        /// Reason of the refusal; nil before the first try since the process started.
        package let reason: DeliveryReason?
        /// Plural of the kind, such as `samples`, that is tried again by itself; nil for a channel.
        package var kind: String?
    }

    package var held: DeliveryReason?
    package var trouble: DeliveryReason?
    /// Work that the receiver still does on an item; nil when none is known.
    package var working: DeliveryReason?
    /// Whether something waits while nothing fails.
    package var isWaiting = false
    /// Why an item is not sent yet that could be, if nothing fails; nil while none waits.
    var waitsFor: DeliveryReason?
    /// Time of the next try; nil when none is planned.
    package var nextTry: MonotonicInstant?
    var lastDelivery: MonotonicInstant?
    package var refusals: [Refusal] = []
    /// Why the station or its store cannot be read now; nil while it can.
    var sourceTrouble: String?
    /// Why the cursor could not be read when this process began; nil when it could.
    var cursorLost: String?

    init() {}

    mutating func apply(_ state: DeliveryState) { (held, trouble) = (state.held, state.trouble) }

    mutating func set(_ trouble: DeliveryReason?, isHeld: Bool) {
        (self.trouble, held) = (trouble, isHeld ? trouble : nil)
    }

    /// Writes the state into the report of a connector.
    func fill(_ report: inout OutboxReport, at now: MonotonicInstant) {
        report.cursorLost = cursorLost
        report.lastDeliverySeconds = lastDelivery.map { $0.duration(to: now).inSeconds }
        if let sourceTrouble {
            (report.state, report.why) = (.waitsForStation, sourceTrouble)
            return
        }
        let calm = isWaiting ? OutboxReport.State.waiting : .idle
        report.state = held != nil ? .held : trouble != nil ? .later : calm
        report.nextTrySeconds = nextTry.map { max(now.duration(to: $0).inSeconds, 0) }
        if let reason = held ?? trouble ?? working {
            (report.why, report.code) = (reason.words, reason.code)
        } else if let waitsFor {
            (report.why, report.code) = (waitsFor.words, waitsFor.code)
        } else if let refusals = refusals.text {
            // Refused items do not stop the others.
            (report.why, report.code) = (refusals, "refuses")
        }
    }
}

extension [DeliveryStanding.Refusal] {
    /// Summary of the refused items, for people; nil without any.
    ///
    /// Bound: three items, and the count of the others.
    package var text: String? {
        guard !isEmpty else { return nil }
        var parts = prefix(3).map { refusal in
            "it refuses \(refusal.name)" + (refusal.reason.map { " (\($0.words))" } ?? "")
        }
        if count > 3 { parts.append("\(count - 3) more") }
        let kind = lazy.compactMap(\.kind).first
        return parts.joined(separator: ", ")
            + (kind.map { "; such \($0) are tried again by themselves" } ?? "")
    }
}
