import Alerts
import ControlProtocol
import Core
import StoreQueries

/// `/rules`: the lamp's limits, the guidelines for means, and the alerts' rules and states.
struct RulesView: Codable, Sendable {
    struct Item: Codable, Sendable {
        let id: String
        let name: String
        let isLamp: Bool
        /// Absent where each limit has its own.
        let averagingSeconds: Int?
        let source: String
        let limits: [Limit]
    }

    struct Limit: Codable, Sendable {
        let quantity: String
        let unit: String
        /// Level, and the values where it begins and ends: of the lamp.
        var level: String?
        var from: Double?
        var leftBelow: Double?
        /// Time and highest mean: of a guideline.
        var averagingSeconds: Int?
        var upTo: Int?
    }

    let items: [Item]
    let alerts: [AlertsReport.Rule]
    /// Rules that are switched off, and those that come with Roost and are not in use.
    let off: [AlertsReport.Rule]

    /// - Parameters:
    ///   - alerts: Nil without a station.
    init(levels: LevelRule, alerts report: AlertsReport?) {
        items = [Self.lamp(levels), Self.guidelines]
        (alerts, off) = (report?.rules ?? [], report?.off ?? [])
    }

    private static func lamp(_ rule: LevelRule) -> Item {
        let limits = rule.scales.flatMap { scale in
            scale.limits.map { limit in
                Limit(
                    quantity: scale.quantity,
                    unit: scale.quantity == Quantity.co2.name
                        ? Quantity.co2.unit : Guideline.unit,
                    level: limit.level.name,
                    from: Double(limit.reachedAt.description),
                    leftBelow: Double(limit.leftBelow.description)
                )
            }
        }
        return Item(
            id: rule.name,
            name: rule.name,
            isLamp: true,
            averagingSeconds: rule.judgesMean ? Int(ShortMean.span.inSeconds) : 0,
            source: rule.source,
            limits: limits
        )
    }

    private static var guidelines: Item {
        Item(
            id: Guideline.rule,
            name: Guideline.rule,
            isLamp: false,
            averagingSeconds: nil,
            source: Guideline.source,
            limits: Guideline.all.map { guideline in
                Limit(
                    quantity: guideline.quantity,
                    unit: Guideline.unit,
                    averagingSeconds: guideline.averagingSeconds,
                    upTo: guideline.limit
                )
            }
        )
    }
}
