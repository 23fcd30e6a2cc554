import Core

/// What a part has said so far, and what of it was not good.
struct PartRecord: Hashable, Sendable {
    private(set) var measurementCount = 0
    private(set) var lastMeasurementAt: MonotonicInstant?
    /// What the part has said of itself.
    private var facts: [Event.Detail] = []
    private var rejectedCount = 0
    /// What was wrong with the last frame that was rejected.
    private var lastFlaw: String?
    // What has come since the last success.
    private var hasHeard = false
    private var hasHeardGood = false
    private var hasHeardBad = false

    /// Whether something came since the last success, and nothing good.
    var isNoise: Bool { hasHeardBad || (hasHeard && !hasHeardGood) }

    mutating func forget() { (hasHeard, hasHeardGood, hasHeardBad) = (false, false, false) }

    mutating func noteBytes() { hasHeard = true }

    mutating func noteMeasurement(at now: MonotonicInstant) {
        measurementCount += 1
        (lastMeasurementAt, hasHeardGood) = (now, true)
    }

    mutating func noteReply() { hasHeardGood = true }

    mutating func noteRejection(_ flaw: String) {
        rejectedCount += 1
        (lastFlaw, hasHeardBad) = (flaw, true)
    }

    mutating func learn(_ found: [Event.Detail]) { facts += found }

    /// What describes the part when it is found.
    func description(of identity: PartIdentity) -> [Event.Detail] {
        [Event.Detail("id", identity.known ?? "unknown")] + facts
    }

    /// How the part fares, in the order it reads.
    func counts(awake: Duration) -> [Event.Detail] {
        [
            Event.Detail("awake", "\(Int(awake.inSeconds)) s"),
            Event.Detail("measurements", "\(measurementCount)"),
            Event.Detail("rejected", "\(rejectedCount)"),
        ]
    }

    /// What the last rejected frame had wrong, under a name.
    func flaw(as key: String) -> [Event.Detail] {
        lastFlaw.map { [Event.Detail(key, $0)] } ?? []
    }
}
