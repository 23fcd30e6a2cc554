import Core

/// One stored sample on its way to a target: an outcome for each quantity of a device.
package struct OutboxSample: Hashable, Sendable {
    package let stream: StreamID
    package let boot: BootID
    package let tick: Tick
    /// UTC; nil while no trusted clock has dated this boot.
    package let time: WallTime?
    package let device: String
    package let quantities: [Quantity]
    /// As many as `quantities`; a value that no part can give is *no data* here: `outOfRange`.
    package let outcomes: [Outcome]
    /// Whether it belongs to a survey that its owner keeps from uploads.
    package var isPrivate = false
    /// Whether the machine has run since, so that its running time says how old it is.
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

    /// The same for ever, and of no other sample of the station.
    var id: String { "\(stream.rawValue)-\(boot)-\(tick.tenths)" }

    /// Why it has nothing to send, though the part gave values.
    var isOutOfRange: Bool { outcomes.contains(.noData(.outOfRange)) }

    /// The quantity's outcome; nil where the device has none such.
    package subscript(quantity: String) -> Outcome? {
        quantities.firstIndex { $0.name == quantity }.map { outcomes[$0] }
    }
}

/// Samples that go to a target in one request: of one boot, oldest first in each stream.
package struct SampleBatch: Hashable, Sendable {
    package let samples: [OutboxSample]
    /// The same for the same samples, after a restart too: `Idempotency-Key`.
    package let id: String
    /// Whether they are late: newer ones may have been sent before them.
    package let isLate: Bool

    package init(_ samples: [OutboxSample], id: String, isLate: Bool) {
        (self.samples, self.id, self.isLate) = (samples, id, isLate)
    }
}

/// Why a recorded sample is not for a target.
package enum LeftOut: String, Hashable, Sendable, CaseIterable {
    /// Older than the target takes.
    case tooOld
    /// No quantity that the target takes has a value.
    case noValue
    /// Its values are doubtful, and the target does not take such.
    case flagged
    /// It belongs to a survey that its owner keeps private, or is near a private place.
    case markedPrivate
    /// The receiver refused it.
    case refused
    /// The ring wrote over it before it could be delivered.
    case expired
    /// No trusted clock ever dated it.
    case timeUnknown
    /// `roost outbox drop`.
    case dropped
    /// Sent, and no answer said whether it arrived; the target is never sent anything twice.
    case unknown
    /// Older than the target keeps: it refused such for their age.
    case notKept
}
