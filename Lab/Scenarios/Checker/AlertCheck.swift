import Core
import Store

/// Demands of the alerts in a history that none is raised twice and none is lost over a restart.
///
/// Each list of raised alerts has to agree with the events before it. Where a card lied, refused
/// or rotted, events may be gone: the lists are believed from then on.
struct AlertCheck {
    /// All events, in the order of writing.
    let events: [BootEvent]
    /// Whether a card lied, refused or rotted before an event.
    let hasTrouble: (BootEvent) -> Bool

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// - Returns: How many events of alerts were checked.
    /// - Throws: `Failure`.
    func run() throws -> Int {
        var state = State()
        var count = 0
        for found in events {
            guard case .alert(let event) = found.event.kind else { continue }
            count += 1
            if let fault = state.apply(event), !hasTrouble(found) {
                throw Failure(description: "alerts: \(fault)")
            }
        }
        return count
    }

    private struct State {
        var raised: [AlertEvent.Key: Int64] = [:]
        var number: Int64 = 0
        /// Numbers of the raised alerts in a list that is not complete yet.
        var list: [AlertEvent.Key: Int64] = [:]

        /// Returns the fault of the next event; nil without any.
        mutating func apply(_ event: AlertEvent) -> String? {
            switch event {
            case .raised(let raised) where raised.flags.contains("test"): return next(raised.number)
            case .raised(let raised):
                let old = self.raised.updateValue(raised.number, forKey: raised.key)
                if let old { return "\(raised.key) was raised as \(old), and again" }
                return next(raised.number)
            case .level(let level):
                return next(level.number) ?? known(level.key, level.raise)
            case .acknowledged(let event):
                return next(event.number) ?? known(event.key, event.raise)
            case .resolved(let resolved):
                defer { raised[resolved.key] = nil }
                return next(resolved.number) ?? known(resolved.key, resolved.raise)
            case .silenced: return nil
            case .standing(let standing): return apply(standing)
            }
        }

        private mutating func next(_ n: Int64) -> String? {
            defer { number = max(number, n) }
            return n > number ? nil : "notice \(n) came after \(number)"
        }

        private func known(_ key: AlertEvent.Key, _ raise: Int64) -> String? {
            raised[key] == raise ? nil : "\(key) is not raised as \(raise)"
        }

        private mutating func apply(_ standing: AlertEvent.Standing) -> String? {
            if standing.part == 1 { list = [:] }
            for alert in standing.alerts { list[alert.key] = alert.raise }
            guard standing.part == standing.parts else { return nil }
            defer { raised = list }
            let lost = raised.filter { list[$0.key] != $0.value }.map { "\($0.key)" }
            if let first = lost.min() { return "\(first) was raised and does not stand" }
            let extra = list.filter { raised[$0.key] == nil }.map { "\($0.key)" }
            return extra.min().map { "\($0) stands and was not raised" }
        }
    }
}
