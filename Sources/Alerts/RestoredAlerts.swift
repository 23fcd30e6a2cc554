import Core

/// Raised and silenced alerts, restored from the events of earlier processes.
///
/// The newest list of what stands begins it, and the events after that change it.
package struct RestoredAlerts: Hashable, Sendable {
    package struct Raised: Hashable, Sendable {
        package let raise: Int64
        package var level: Int
        /// Seconds on the timeline of the book; negative for a boot before.
        package let raisedAt: Int
        package var worst: FixedPoint?
        package var acknowledgedUntil: Int?
    }

    package private(set) var number: Int64 = 0
    package private(set) var raised: [AlertEvent.Key: Raised] = [:]
    /// Silenced keys, each with the end of its silence.
    package private(set) var silences: [AlertEvent.Key: Int] = [:]

    /// Second at which an earlier process last ran and had its last values; nil if unknown.
    package var lastAt: Int?
    /// Earliest time assumed for past events while no sure clock dates them; `Int.min` with one.
    package var floor = Int.min

    package init() {}

    /// Applies the next event, oldest first.
    package mutating func apply(_ event: AlertEvent, at second: Int) {
        number = max(number, event.number ?? 0)
        switch event {
        case .raised(let event):
            guard !event.flags.contains("test") else { return }
            raised[event.key] = Raised(
                raise: event.number,
                level: event.level,
                raisedAt: second,
                worst: event.value
            )
        case .level(let event):
            raised[event.key]?.level = event.level
            if event.level > event.was { raised[event.key]?.acknowledgedUntil = nil }
        case .acknowledged(let event):
            raised[event.key]?.acknowledgedUntil = event.seconds.map { second + $0 } ?? .max
        case .resolved(let event): raised[event.key] = nil
        case .silenced(let event):
            silences[event.key] = event.seconds > 0 ? second + event.seconds : nil
        case .standing(let standing):
            if standing.part == 1 { (raised, silences) = ([:], [:]) }
            for alert in standing.alerts {
                raised[alert.key] = Raised(
                    raise: alert.raise,
                    level: alert.level,
                    raisedAt: second - alert.age,
                    worst: alert.worst,
                    acknowledgedUntil: alert.acknowledged.map {
                        $0 == .max ? .max : second + $0
                    }
                )
            }
            for silence in standing.silences { silences[silence.key] = second + silence.seconds }
        }
    }
}
