import Core

/// Counts of a part's messages, good and rejected, and facts that it reported.
struct PartRecord: Hashable, Sendable {
    private(set) var measurementCount = 0
    private(set) var lastMeasurementAt: MonotonicInstant?
    /// Facts that the part reported about itself, such as its firmware.
    private(set) var facts: [Fact] = []
    private var rejectedCount = 0
    /// Fault of the last frame that was rejected.
    private(set) var lastFlaw: String?
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

    mutating func learn(_ found: [Fact]) { facts += found }

    var counts: [Fact] {
        [Fact("measurementCount", measurementCount), Fact("rejectedCount", rejectedCount)]
    }
}
