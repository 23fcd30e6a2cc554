import Core

/// Counts of a part's messages, good and rejected, and facts that it reported.
struct PartRecord: Hashable, Sendable {
    private(set) var measurementCount = 0
    private(set) var lastMeasurementAt: MonotonicInstant?
    /// Facts that the part reported about itself, such as its firmware.
    private var facts: [Event.Detail] = []
    private var rejectedCount = 0
    /// Fault of the last frame that was rejected.
    private var lastFlaw: String?
    // Kinds of bytes received since the last success.
    private var hasHeard = false
    private var hasHeardGood = false
    private var hasHeardBad = false

    /// Whether something came since the last success, and nothing good.
    var isNoise: Bool { hasHeardBad || (hasHeard && !hasHeardGood) }

    mutating func forget() { (hasHeard, hasHeardGood, hasHeardBad) = (false, false, false) }

    mutating func recordBytes() { hasHeard = true }

    mutating func recordMeasurement(at now: MonotonicInstant) {
        measurementCount += 1
        (lastMeasurementAt, hasHeardGood) = (now, true)
    }

    mutating func recordReply() { hasHeardGood = true }

    mutating func recordRejection(_ flaw: String) {
        rejectedCount += 1
        (lastFlaw, hasHeardBad) = (flaw, true)
    }

    mutating func learn(_ found: [Event.Detail]) { facts += found }

    /// Identity and facts of the part, for the event that it was found.
    func description(of identity: PartIdentity) -> [Event.Detail] {
        [Event.Detail("id", identity.known ?? "unknown")] + facts
    }

    /// Counts of the part, in the order to show them.
    func counts(awake: Duration) -> [Event.Detail] {
        [
            Event.Detail("awake", "\(Int(awake.inSeconds)) s"),
            Event.Detail("measurements", "\(measurementCount)"),
            Event.Detail("rejected", "\(rejectedCount)"),
        ]
    }

    /// Fault of the last rejected frame, as a detail named `key`; empty without one.
    func flaw(as key: String) -> [Event.Detail] {
        lastFlaw.map { [Event.Detail(key, $0)] } ?? []
    }
}
