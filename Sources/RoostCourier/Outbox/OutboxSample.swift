import Core

/// One stored sample for a target: an outcome for each quantity of a device.
package struct OutboxSample: Hashable, Sendable {
    package let stream: StreamID
    package let boot: BootID
    package let tick: Tick
    /// Time in UTC; nil while no trusted clock has dated this boot.
    package let time: WallTime?
    package let device: String
    package let quantities: [Quantity]
    /// One outcome for each quantity; an impossible value becomes *no data*: `outOfRange`.
    package let outcomes: [Outcome]
    /// Whether it belongs to a survey that its owner keeps from uploads.
    package var isPrivate = false
    /// Whether it was recorded in the present boot, so that its age is known by running time.
    package var isOfPresentBoot = false

    package init(
        stream: StreamID,
        at place: (boot: BootID, tick: Tick),
        time: WallTime?,
        device: String,
        quantities: [Quantity],
        outcomes: [Outcome]
    ) {
        precondition(quantities.count == outcomes.count, "an outcome for each quantity")
        (self.stream, self.time, boot, tick) = (stream, time, place.boot, place.tick)
        (self.device, self.quantities) = (device, quantities)
        self.outcomes = outcomes.map { $0.isLeftOut ? .noData(.outOfRange) : $0 }
    }

    /// Id that no other sample of the station ever has.
    var id: String { "\(stream.rawValue)-\(boot)-\(tick.tenths)" }

    /// Whether it has nothing to send because its values are out of range.
    var isOutOfRange: Bool { outcomes.contains(.noData(.outOfRange)) }

    /// Returns a quantity's outcome; nil where the device does not have the quantity.
    package subscript(quantity: String) -> Outcome? {
        quantities.firstIndex { $0.name == quantity }.map { outcomes[$0] }
    }
}

/// Samples of one request: of one boot, oldest first in each stream.
package struct SampleBatch: Hashable, Sendable {
    package let samples: [OutboxSample]
    /// Id of the batch, the same after a restart, for `Idempotency-Key`.
    package let id: String
    /// Whether newer samples may have been sent before them.
    package let isLate: Bool

    package init(_ samples: [OutboxSample], id: String, isLate: Bool) {
        (self.samples, self.id, self.isLate) = (samples, id, isLate)
    }
}

/// Reason why a recorded sample is not sent to a target.
package enum LeftOut: String, Hashable, Sendable, CaseIterable {
    /// The sample is older than the target takes.
    case tooOld
    /// No quantity that the target takes has a value.
    case noValue
    /// The values are doubtful, and the target does not take doubtful ones.
    case flagged
    /// It belongs to a survey that its owner keeps private, or is near a private place.
    case markedPrivate
    /// The receiver refused the sample.
    case refused
    /// The ring overwrote the sample before it could be delivered.
    case expired
    /// No trusted clock ever dated the sample.
    case timeUnknown
    /// The owner dropped the sample by `roost outbox drop`.
    case dropped
    /// The sample was sent without an answer, and the target is never sent anything twice.
    case unknown
    /// The sample is older than the target keeps: the target refused such samples for their age.
    case notKept
}
