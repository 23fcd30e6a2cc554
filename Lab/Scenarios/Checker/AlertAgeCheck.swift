import ControlProtocol
import Core

/// Demands of what a station says of its raised alerts that no age is nonsense, and that an alert
/// without values is called unknown and ends, however long there was no power.
///
/// After a clock that lied ages are excused; after a card that lied, alerts from before.
struct AlertAgeCheck {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Age at which an alert without a value is over: a day, and an hour for an unsure clock.
    private static let unknownMax: Duration = .hours(25)
    private static let slack: Duration = .minutes(3)

    let records: LifeRecords
    /// Whether a card lied, refused or rotted before an instant.
    let hasTrouble: (MonotonicInstant) -> Bool
    /// Whether a fault of some kinds was there.
    let hasWindow: ((FaultKind) -> Bool, MonotonicInstant, MonotonicInstant) -> Bool

    private struct Raise {
        let key: String
        let segment: Int
        let at: MonotonicInstant
    }

    /// - Returns: How many looks at raised alerts were checked.
    /// - Throws: `Failure`.
    func run() throws -> Int {
        let raises = raises
        let values = Dictionary(grouping: records.samples.filter(\.hasValue)) {
            records.devices[Int($0.device)]
        }.mapValues { $0.map(\.at) }
        var count = 0
        for look in records.alertLooks where !hasTrouble(look.at) {
            for alert in look.alerts where alert.level > 0 {
                guard let raise = alert.n.flatMap({ raises[$0] }), raise.key == alert.key,
                    raise.at <= look.at
                else { continue }
                count += 1
                try checkAge(alert, raise, look)
                guard let device = device(of: alert) else { continue }
                let times = (values[device] ?? []).filter { $0 <= look.at }
                try checkValues(alert, raise, look, times)
            }
        }
        return count
    }

    private var raises: [Int64: Raise] {
        records.events.reduce(into: [:]) { raises, heard in
            guard case .alert(.raised(let raised)) = heard.event.kind else { return }
            raises[raised.number] = Raise(
                key: "\(raised.key)",
                segment: heard.segment,
                at: heard.at
            )
        }
    }

    /// The device whose channel it looks at; nil for one that looks at no values, or was renamed.
    private func device(of alert: AlertsReport.Alert) -> String? {
        guard let subject = alert.key.split(separator: ":", maxSplits: 1).last,
            let slash = subject.firstIndex(of: "/")
        else { return nil }
        let device = String(subject[..<slash])
        let isRenamed = records.givenNames.contains { $0.name == device || $0.was == device }
        return isRenamed ? nil : device
    }

    private func checkAge(
        _ alert: AlertsReport.Alert,
        _ raise: Raise,
        _ look: LifeRecords.AlertLook
    ) throws {
        let unsure: Set<FaultKind> = [.clockUnknown, .clockLost]
        let isLiar = hasWindow(
            { $0.area == .clock && $0 != .suspend && !unsure.contains($0) },
            raise.at,
            look.at
        )
        guard !isLiar else { return }
        let (told, age) = (alert.sinceSeconds, raise.at.duration(to: look.at).inSeconds)
        let slack = Self.slack.inSeconds
        let isDated = look.isSure && !hasWindow(unsure.contains, raise.at, look.at)
        guard told >= 0, told <= age + slack, !isDated || told >= age - slack else {
            throw fault("is \(Int(age)) s old, and is said to be \(Int(told))", alert, look)
        }
        if let blind = alert.blindSeconds, !(0...age + slack).contains(blind) {
            throw fault("is \(Int(age)) s old, and unknown for \(Int(blind))", alert, look)
        }
    }

    private func checkValues(
        _ alert: AlertsReport.Alert,
        _ raise: Raise,
        _ look: LifeRecords.AlertLook,
        _ times: [MonotonicInstant]
    ) throws {
        let start = records.segments[look.segment].start
        if raise.segment < look.segment, alert.blind == nil, times.last.map({ $0 < start }) ?? true
        {
            throw fault(
                "is of an earlier process, has no value since, and is said to hold",
                alert,
                look
            )
        }
        let isKnown = !hasWindow({ $0.area == .clock && $0 != .suspend }, raise.at, look.at)
        guard look.isSure, isKnown else { return }
        var before = raise.at
        for time in times.filter({ $0 > raise.at }) + [look.at] {
            guard before.duration(to: time) <= Self.unknownMax else {
                let hours = Int(before.duration(to: time).inSeconds) / 3_600
                throw fault("had no value for \(hours) h, and is not over", alert, look)
            }
            before = time
        }
    }

    private func fault(
        _ words: String,
        _ alert: AlertsReport.Alert,
        _ look: LifeRecords.AlertLook
    ) -> Failure {
        let hours = MonotonicInstant.boot.duration(to: look.at).inSeconds / 3_600
        return Failure(description: "\(alert.key) \(words), \(hours) h after the begin")
    }
}
