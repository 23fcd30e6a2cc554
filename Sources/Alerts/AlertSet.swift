import Core

/// The rules that come with Roost; a configuration takes them by name.
///
/// What each does to a year of one outdoor sensor is in docs/reference/alerts.md.
package enum AlertSet: String, CaseIterable, Sendable {
    case who24h = "who-24h"
    case usNowCast = "us-nowcast"
    case european = "eaqi"
    case singapore = "psi-sg"
    case sampleLevels = "sample-levels"
    case rise
    case unusual
    case station
    /// Each motion; for pictures on notices.
    case motion

    /// Sets in use without a configuration.
    package static let standard: [AlertSet] = [.who24h, .usNowCast, .station]

    package var rules: [AlertRule] {
        switch self {
        case .who24h:
            let day = 86_400
            return [
                AlertRule(
                    rawValue,
                    [
                        .init("*/pm25", .mean(over: day, Self.scale(15, 13.5))),
                        .init("*/pm10", .mean(over: day, Self.scale(45, 40.5))),
                    ]
                )
            ]
        case .usNowCast:
            return [
                Self.index(
                    AirIndexTables.usNowCast,
                    rawValue,
                    [
                        "pm25": AlertScale([
                            .init(35.5, until: 32, .warning), .init(55.5, until: 50, .critical),
                        ]),
                        "pm10": AlertScale([
                            .init(155, until: 140, .warning), .init(255, until: 230, .critical),
                        ]),
                    ]
                )
            ]
        case .european:
            return [
                Self.index(
                    AirIndexTables.european,
                    rawValue,
                    [
                        "pm25": Self.beyond((50, 45), (90, 81)),
                        "pm10": Self.beyond((120, 108), (195, 175.5)),
                    ]
                )
            ]
        case .singapore: return Self.singaporeRules
        case .sampleLevels:
            return [
                AlertRule(
                    rawValue,
                    [
                        .init("*/pm25", .value(Self.scale(5, 4.5))),
                        .init("*/pm10", .value(Self.scale(15, 13.5))),
                    ]
                )
            ]
        case .rise:
            return [AlertRule(rawValue, [.init("*/pm25", .rise(over: 900, by: 15, times: 2))])]
        case .unusual:
            // Two quarters of an hour in a row.
            let condition = AlertRule.Condition.unusual(score: 4, by: 10, days: 14)
            return [AlertRule(rawValue, [.init("*/pm25", condition)], for: 900, .notice)]
        case .station: return Self.stationRules
        case .motion:
            let seen = AlertRule.Condition.event(kind: rawValue, source: nil, count: 1, within: 60)
            return [AlertRule(rawValue, [.init("*", seen)])]
        }
    }

    private static func scale(_ limit: Double, _ until: Double) -> AlertScale {
        AlertScale([.init(limit, until: until, .warning)])
    }

    private static func beyond(
        _ poor: (Double, Double),
        _ veryPoor: (Double, Double)
    ) -> AlertScale {
        AlertScale(
            [
                .init(poor.0, until: poor.1, .warning),
                .init(veryPoor.0, until: veryPoor.1, .critical),
            ],
            beginsBeyond: true
        )
    }

    private static func index(
        _ index: AirIndex,
        _ id: String,
        _ scales: [String: AlertScale]
    ) -> AlertRule {
        let parts = index.scales.compactMap { table in
            scales[table.quantity].map { scale in
                AlertRule.Part("*/\(table.quantity)", .index(table, id: index.id, scale))
            }
        }
        return AlertRule(id, parts)
    }

    private static var singaporeRules: [AlertRule] {
        let day = index(
            AirIndexTables.singapore,
            "psi-sg",
            ["pm25": beyond((55, 50), (150, 135)), "pm10": beyond((150, 135), (350, 315))]
        )
        let hour = index(
            AirIndexTables.singaporeHour,
            "psi-sg-1h",
            ["pm25": beyond((55, 50), (150, 135))]
        )
        return [day, hour]
    }

    private static var stationRules: [AlertRule] {
        func trouble(
            _ topic: AlertTopic,
            for seconds: Int,
            until untilSeconds: Int = 0,
            _ severity: AlertSeverity = .warning
        ) -> AlertRule {
            let part = AlertRule.Part("*", .trouble(topic))
            return AlertRule(topic.rawValue, [part], for: seconds, until: untilSeconds, severity)
        }
        return [
            AlertRule("silent", [.init("*", .silent(intervals: 3))]),
            AlertRule("stuck", [.init("*", .flagged(.unchanging, orStuck: true))], for: 1_800),
            AlertRule("laser", [.init("*", .laser(usedPercent: 90, daysLeft: 60))], .notice),
            trouble(.card, for: 0, .critical),
            // A short dip at the start of a motor is not worth an alert; a second one is.
            trouble(.power, for: 60, until: 3_600),
            trouble(.clock, for: 3_600, .notice),
            trouble(.store, for: 120, until: 120, .critical),
            // The courier has waited before it speaks of a target.
            trouble(.outbox, for: 0),
        ]
    }
}
