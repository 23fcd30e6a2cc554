import Alerts
import ControlProtocol
import Core

/// Finds the reports about the station that have changed and that rules use.
///
/// Pure. Bounds: one report for each topic and laser, and one for each of 32 targets.
struct AlertReporter {
    /// State of the station at one moment, as far as alerts depend on it.
    struct Facts {
        var faults: [Fault] = []
        /// Whether the time is that of a time server or was confirmed.
        var hasSureTime = false
        var lasers: [LaserReport] = []
        var vitals: MachineVitals?
        /// Whether the battery is low; nil without a battery.
        var isBatteryLow: Bool?
    }

    /// Targets, receivers and feeds of the courier that are followed at once.
    private static let targetLimit = 32
    /// Times at which the voltage was low, kept for `powerSpan`.
    private static let powerCount = 3
    private static let powerSpan = 86_400
    /// Life time estimate, 1…11 in steps of 10 % used, from which the card counts as worn.
    ///
    /// - Source: JEDEC JESD84-B51, section 7.4.26, device life time estimation.
    private static let lifeTimeMax = 9
    /// End-of-life code from which the card counts as worn: 80 % of the reserved blocks are used.
    ///
    /// - Source: JEDEC JESD84-B51, section 7.4.25.
    private static let endOfLifeMax = 2

    private struct Subject: Hashable {
        let topic: AlertTopic
        let name: String
    }

    private var known: [Subject: String] = [:]
    private var lasers: [String: AlertReport] = [:]
    private var lowVoltages: [Int] = []
    private var hasReported = false

    /// Makes the next call of `reports` return everything again.
    ///
    /// - Returns: What the courier said of its targets, which says a change only once.
    mutating func forget() -> [AlertReport] {
        (known, lasers, hasReported) = (known.filter { $0.key.topic == .outbox }, [:], false)
        return known.sorted { $0.key.name < $1.key.name }.map { subject, text in
            .trouble(subject.topic, subject: subject.name, text.isEmpty ? nil : text)
        }
    }

    /// Returns the reports that changed; on the first call also those of healthy parts.
    mutating func reports(_ facts: Facts, at now: Int) -> [AlertReport] {
        var reports: [AlertReport] = []
        for topic in [AlertTopic.store, .clock] {
            reports += report(topic, AlertBounds.station, Self.text(topic, facts))
        }
        if let vitals = facts.vitals { reports += self.reports(of: vitals, at: now) }
        if let isLow = facts.isBatteryLow {
            reports += report(.power, "battery", isLow ? "the battery is low" : nil)
        }
        for laser in facts.lasers {
            guard let device = laser.device, let life = laser.lifeHours, life > 0 else { continue }
            let used = (laser.hours / life * 100).rounded()
            let left = laser.daysLeft.map { Int($0.rounded(.down)) }
            let report = AlertReport.laser(device: device, usedPercent: used, daysLeft: left)
            guard lasers.updateValue(report, forKey: device) != report else { continue }
            reports.append(report)
        }
        hasReported = true
        return reports
    }

    private mutating func reports(of vitals: MachineVitals, at now: Int) -> [AlertReport] {
        var reports: [AlertReport] = []
        if let isLow = vitals.isUnderVoltage {
            lowVoltages.removeAll { now - $0 >= Self.powerSpan }
            if isLow {
                lowVoltages.append(now)
                if lowVoltages.count > Self.powerCount { lowVoltages.removeFirst() }
            }
            let isOften = lowVoltages.count == Self.powerCount
            let words =
                isLow ? "the voltage is low" : isOften ? "the voltage is low too often" : nil
            reports += report(.power, AlertBounds.station, words)
        }
        if let card = vitals.card {
            let isWorn = card.lifeTime >= Self.lifeTimeMax || card.endOfLife >= Self.endOfLifeMax
            let words = isWorn ? "the card has little of its life left" : nil
            reports += report(.card, AlertBounds.station, words)
        }
        return reports
    }

    /// Returns the report on a target that an event of the courier carries; none for other events.
    mutating func report(_ event: Event) -> [AlertReport] {
        let (target, words): (String, String?)
        switch event.kind {
        case .outboxLate(let late):
            let since = late.since.map { "waits since \($0): " } ?? ""
            (target, words) = (late.target, since + (late.why ?? ""))
        case .outboxInTime(let name): (target, words) = (name, nil)
        default: return []
        }
        let count = known.keys.count { $0.topic == .outbox }
        guard known[Subject(topic: .outbox, name: target)] != nil || count < Self.targetLimit
        else { return [] }
        return report(.outbox, target, words)
    }

    private static func text(_ topic: AlertTopic, _ facts: Facts) -> String? {
        guard topic == .store else { return facts.hasSureTime ? nil : "the time is not sure" }
        return facts.faults.first { storeFaults.contains($0.kind) }?.sentence
    }

    private static let storeFaults: Set<Fault.Kind> = [
        .storeNotWriting, .historyNotTaking, .historyFull, .samplesUnreadable,
    ]

    private mutating func report(
        _ topic: AlertTopic,
        _ name: String,
        _ words: String?
    ) -> [AlertReport] {
        let subject = Subject(topic: topic, name: name)
        let text = words ?? ""
        guard known.updateValue(text, forKey: subject) != text else { return [] }
        return [.trouble(topic, subject: name, words)]
    }
}
