import Alerts
import ControlProtocol
import Core

/// Writes the notices of a plan in a receiver's language.
struct NoticeWriter {
    let language: NoticeText.Language
    /// Whether the alerts of one turn share one notice.
    let isGrouped: Bool
    /// URL of the station's page about alerts; nil where it has no address.
    let link: String?
    /// Name of the station in front of each title; nil where clients know the titles.
    let station: String?
    /// The owner's sentences, by rule and language; where one is missing, English is used.
    var words: [String: [String: String]] = [:]
    /// The alerts in their present state, and the titles of devices.
    var present = PresentAlerts()

    /// One part of a plan.
    private struct Item {
        let number: Int64
        let kind: Notice.Kind
        let event: AlertEvent
        let severity: AlertSeverity
        var time: WallTime?
        /// The worst value since the alert was raised.
        var worst: FixedPoint?
        /// Whether the channel has no value now.
        var isBlind = false
    }

    /// - Parameters:
    ///   - now: For how long they last.
    /// - Returns: The notices, at least one for a plan that is not empty.
    func write(
        _ plan: NoticePlanner.Plan,
        _ alerts: [Int64: NoticePlanner.Alert],
        at now: MonotonicInstant
    ) -> [Notice] {
        let items = items(plan, alerts, at: now)
        guard isGrouped, items.count > 1 else {
            return items.compactMap { item in
                text(of: item).map { inLanguage(notice(item, $0)) }
            }
        }
        return together(items).map { [inLanguage($0)] } ?? []
    }

    private func text(of item: Item) -> NoticeText? {
        NoticeText(
            item.event,
            in: language,
            worst: item.worst,
            isBlind: item.isBlind,
            titles: present.titles
        )
    }

    private func inLanguage(_ notice: Notice) -> Notice {
        var notice = notice
        notice.language = language.rawValue
        return notice.named(station)
    }

    private func items(
        _ plan: NoticePlanner.Plan,
        _ alerts: [Int64: NoticePlanner.Alert],
        at now: MonotonicInstant
    ) -> [Item] {
        var items: [Item] = []
        for test in plan.tests {
            let (number, severity) = (test.number, test.severity)
            items.append(
                Item(number: number, kind: .raised, event: .raised(test), severity: severity)
            )
        }
        for (kind, numbers) in [(Notice.Kind.raised, plan.raised), (.reminder, plan.reminders)] {
            for number in numbers {
                guard let alert = alerts[number] else { continue }
                var raised = alert.raised
                raised.held += Int(alert.since.duration(to: now).inSeconds)
                let seen = present.alerts[number]
                raised.value = Self.shown(seen?.value, as: raised.value)
                if let seen { raised.flags = seen.flags }
                var item = Item(
                    number: number,
                    kind: kind,
                    event: .raised(raised),
                    severity: raised.severity,
                    time: alert.time
                )
                item.isBlind = seen?.blind != nil
                if let worst = seen?.worst { item.worst = Self.shown(worst, as: raised.value) }
                items.append(item)
            }
        }
        items += plan.ended.map { end in
            Item(number: end.number, kind: .resolved, event: .resolved(end), severity: end.severity)
        }
        // Lasting alerts before ended ones, then the worst: the first gives the notice its title.
        return items.sorted { left, right in
            (left.kind == .resolved ? 0 : 1, left.severity, right.number)
                > (right.kind == .resolved ? 0 : 1, right.severity, left.number)
        }
    }

    /// Returns a value with the digits of the one before, or that one where there is no new value.
    private static func shown(_ value: Double?, as old: FixedPoint?) -> FixedPoint? {
        guard let value, let old, value.magnitude < 1e9 else { return old }
        let factor = FixedPoint(1, decimals: old.decimals).doubleValue
        return FixedPoint(Int64((value / factor).rounded()), decimals: old.decimals)
    }

    private func notice(_ item: Item, _ text: NoticeText) -> Notice {
        var notice = Notice(
            number: Int(item.number),
            kind: item.kind,
            key: key(item.event),
            severity: Notice.Severity(rawValue: item.severity.rawValue) ?? .warning,
            text: (
                Self.withoutTest(text.title),
                text.subtitle,
                text.body.isEmpty ? [] : text.body.split(separator: "\n").map(String.init)
            ),
            time: item.time
        )
        guard case .raised(let raised) = item.event else {
            notice.link = link
            return notice
        }
        if let sentence = sentence(raised) {
            notice = Notice(
                number: notice.number,
                kind: notice.kind,
                key: notice.key,
                severity: notice.severity,
                text: (notice.title, sentence, [notice.subtitle] + notice.body),
                time: notice.time
            )
        }
        notice.link = link
        notice.isTest = raised.flags.contains("test")
        if let value = raised.value {
            notice.measurement = Notice.Measurement(
                quantity: AlertNames.quantity(raised.key.subject) ?? raised.key.subject,
                value: value,
                unit: raised.unit ?? ""
            )
        }
        return notice
    }

    /// Returns the owner's sentence for an alert, with the measured value.
    private func sentence(_ raised: AlertEvent.Raised) -> String? {
        guard let own = words[raised.key.rule], let text = own[language.rawValue] ?? own["en"]
        else {
            return nil
        }
        let number = raised.value.map { "\($0)" } ?? "–"
        let value = language == .en ? number : number.replacing(".", with: ",")
        return text.replacing("{value}", with: value)
            .replacing("{unit}", with: raised.unit ?? "")
    }

    /// Writes several alerts as one notice, a line each.
    private func together(_ items: [Item]) -> Notice? {
        let texts = items.compactMap { item in
            text(of: item).map { (item, $0) }
        }
        guard let (first, text) = texts.first else { return nil }
        var notice = notice(first, text)
        let more = texts.dropFirst().map { "\(Self.withoutTest($1.title)): \($1.subtitle)" }
        notice = Notice(
            number: Int(items.map(\.number).max() ?? first.number),
            kind: .summary,
            key: notice.key,
            severity: notice.severity,
            text: (notice.title, notice.subtitle, notice.body + more),
            time: notice.time
        )
        notice.link = link
        return notice
    }

    private func key(_ event: AlertEvent) -> String {
        event.key.map { "\($0.rule) \($0.subject)" } ?? "alerts"
    }

    /// Removes the mark of a test: receivers add it by themselves.
    private static func withoutTest(_ title: String) -> String {
        title.hasPrefix("TEST: ") ? String(title.dropFirst(6)) : title
    }
}
