import Core
import Profiles

/// The station's state from which its faults are derived.
///
/// `faults` is the one place that decides what counts as a fault: `roost status`, `roost doctor`
/// and the lamps go by it.
struct StationFacts: Hashable, Sendable {
    /// The known outage of a device.
    struct Trouble: Hashable, Sendable {
        enum Kind: Hashable, Sendable {
            case away, unusable, silent
        }

        let kind: Kind
        let since: MonotonicInstant
        let words: String

        init(_ kind: Kind, since: MonotonicInstant, _ words: String) {
            (self.kind, self.since, self.words) = (kind, since, words)
        }
    }

    /// A part that answers in place of the one whose id is configured.
    struct OtherPart: Hashable, Sendable {
        let wanted: String
        let found: String
    }

    /// A device that is attached or waited for.
    struct Device: Hashable, Sendable {
        let name: String
        let location: String
        var trouble: Trouble?
        /// When its driver began; nil while it has none.
        var attachedAt: MonotonicInstant?
        /// The last outcome of each of its channels.
        var latest: [Reading] = []
        var lastValueAt: MonotonicInstant?
        var limits: Limits?
        var other: OtherPart?
        /// The rate of its line; nil without one.
        var baud: Int?

        init(name: String, location: String) {
            (self.name, self.location) = (name, location)
        }
    }

    /// Bounds that a healthy measuring device keeps.
    struct Limits: Hashable, Sendable {
        /// How old a value may be.
        let age: Duration
        /// How long a channel may have neither a value nor a reason why there is none.
        let silence: Duration
        /// In a stream one missing sample is tolerated.
        let outlastsMiss: Bool

        init(age: Duration, silence: Duration, outlastsMiss: Bool) {
            (self.age, self.silence, self.outlastsMiss) = (age, silence, outlastsMiss)
        }
    }

    /// A device that was found once and is not plugged in, or an adapter that cannot be looked at.
    struct Missing: Hashable, Sendable {
        /// Name of the device, or node of the adapter.
        let subject: String
        let isAdapter: Bool
        /// Start of the trouble; nil when the device was not seen since the station's start.
        let since: MonotonicInstant?
        let words: String
    }

    /// A device that is plugged in is found within this time of the start.
    static let findingTime = Duration.seconds(90)

    let now: MonotonicInstant
    let startedAt: MonotonicInstant
    var devices: [Device] = []
    var missing: [Missing] = []
    /// Faults that parts of the station reported themselves.
    var named: [Fault] = []

    init(now: MonotonicInstant, startedAt: MonotonicInstant) {
        (self.now, self.startedAt) = (now, startedAt)
    }

    /// Everything that is wrong, the oldest first.
    var faults: [Fault] {
        let all = devices.compactMap(fault) + missing.compactMap(fault) + named
        return all.sorted { left, right in
            guard (left.kind == .more) == (right.kind == .more) else { return right.kind == .more }
            return (left.since, left.id) < (right.since, right.id)
        }
    }

    private func fault(of device: Device) -> Fault? {
        if let trouble = device.trouble {
            let kind: Fault.Kind =
                switch trouble.kind {
                case .away: .deviceAway
                case .unusable: .deviceUnusable
                case .silent: .sensorSilent
                }
            let words = "\(device.name): \(trouble.words)"
            return Fault(kind, of: device.name, since: trouble.since, words)
        }
        guard let limits = device.limits, let attachedAt = device.attachedAt else { return nil }
        let raw = device.latest.filter { !$0.channel.quantity.isDerived }
        let valueAt = device.lastValueAt ?? attachedAt
        if let stuck = raw.first(where: { $0.outcome == .noData(.stuck) }) {
            return Fault(
                .sensorStuck,
                of: device.name,
                since: device.lastValueAt ?? stuck.instant,
                "\(stuck.channel) repeats itself for ever; its values are left out"
            )
        }
        func silent(_ words: String, since: MonotonicInstant) -> Fault {
            let sentence = "\(device.name) at \(device.location) \(words)"
            return Fault(.sensorSilent, of: device.name, since: since, sentence)
        }
        if !raw.isEmpty, raw.allSatisfy(\.isMissed),
            !limits.outlastsMiss || valueAt.advanced(by: limits.age) < now
        {
            let isGarbage = raw.contains { $0.outcome == .noData(.badFrames) }
            return isGarbage
                ? misheard(device, since: valueAt) : silent("does not answer", since: valueAt)
        }
        let heardAt = max(raw.map(\.instant).max() ?? attachedAt, attachedAt)
        guard heardAt.advanced(by: limits.silence) < now else { return nil }
        return silent("gives no samples", since: heardAt)
    }

    /// Bytes came, and none of them was a value of the part that is wanted.
    private func misheard(_ device: Device, since: MonotonicInstant) -> Fault {
        let (name, place) = (device.name, device.location)
        if let other = device.other {
            return Fault(
                .sensorOther,
                of: name,
                since: since,
                "another sensor answers at \(place): \(other.found), and \(name) is "
                    + other.wanted,
                next: "plug \(other.wanted) in; or write \"id\": \"\(other.found)\" into the "
                    + "configuration of \(name); or take \(name) out of it, and sudo systemctl "
                    + "reload roostd: then roost devices adopt \(place) takes what is there"
            )
        }
        guard let baud = device.baud else {
            let words = "\(name) at \(place) says nothing that can be understood"
            return Fault(.sensorSilent, of: name, since: since, words)
        }
        return Fault(
            .sensorSilent,
            of: name,
            since: since,
            "\(name) at \(place) gives noise at this speed, \(baud) baud, and no value",
            next: "see that it is the right port and the right type, and then its cable and its "
                + "power; roost events --last 1h says what was wrong last"
        )
    }

    private func fault(of missing: Missing) -> Fault? {
        guard let since = missing.since else {
            // Detection may not have come to it yet.
            guard startedAt.advanced(by: Self.findingTime) <= now else { return nil }
            return fault(of: missing, since: startedAt)
        }
        return fault(of: missing, since: since)
    }

    private func fault(of missing: Missing, since: MonotonicInstant) -> Fault {
        let subject = missing.subject
        guard !missing.isAdapter else {
            return Fault(.adapterFaulty, of: subject, since: since, "\(subject): \(missing.words)")
        }
        return Fault(
            .deviceAway,
            of: subject,
            since: since,
            "\(subject) is not plugged in: \(missing.words)",
            next: "plug it in again, or, if it is gone for good: roost devices forget \(subject)"
        )
    }
}

extension Reading {
    /// Whether an answer did not come in time.
    fileprivate var isMissed: Bool {
        switch outcome {
        case .noData(.replyTimeout), .noData(.badFrames): true
        case .noData, .value: false
        }
    }
}
