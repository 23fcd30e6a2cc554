import Alerts
import ControlProtocol
import Core
import StoreQueries

/// The limits of a quantity, as the lamp's rule has them.
enum ChannelLimits {
    static func write(_ quantity: String, _ json: inout JSONTextBuilder) {
        guard let limits = QuantityLimit.all(of: quantity) else { return }
        json.array("limits", limits) { json, limit in
            json.object { json in
                json.member("level", limit.level)
                json.member("from", limit.from)
            }
        }
    }

    /// The level of one reading, without the lamp's hysteresis; nil without a limit or a value.
    static func level(of reading: ReadingReport, _ quantity: String) -> String? {
        let scale = LevelRule.sampleLevels.scales.first { $0.quantity == quantity }
        guard let scale, let text = reading.measured?.description,
            let value = FixedPoint(decimal: text)
        else { return nil }
        return scale.level(of: value, after: nil).name
    }

    /// `/rules`: the lamp's limits, the guidelines for means, and the alerts' rules and states.
    static func rules(alerts: [AlertsReport.Rule]) throws -> String {
        var json = JSONTextBuilder()
        let own = try ControlCodec.line(alerts)
        json.object { json in
            json.array("items", [true, false]) { json, isLamp in
                json.object { isLamp ? writeLamp(&$0) : writeGuidelines(&$0) }
            }
            json.member("alerts", json: own)
        }
        return json.text
    }

    private static func writeLamp(_ json: inout JSONTextBuilder) {
        let rule = LevelRule.sampleLevels
        json.member("id", rule.name)
        json.member("name", rule.name)
        json.member("isLamp", true)
        json.member("averagingSeconds", 0)
        let source = "the first systems, for a single sample of a classroom light"
        json.member("source", source)
        let limits = rule.scales.flatMap { scale in scale.limits.map { (scale.quantity, $0) } }
        json.array("limits", limits) { json, entry in
            json.object { json in
                json.member("quantity", entry.0)
                json.member("level", entry.1.level.name)
                json.member("from", json: entry.1.reachedAt.description)
                json.member("leftBelow", json: entry.1.leftBelow.description)
                json.member("unit", Guideline.unit)
            }
        }
    }

    private static func writeGuidelines(_ json: inout JSONTextBuilder) {
        json.member("id", Guideline.rule)
        json.member("name", Guideline.rule)
        json.member("isLamp", false)
        json.member("source", Guideline.source)
        json.array("limits", Guideline.all) { json, guideline in
            json.object { json in
                json.member("quantity", guideline.quantity)
                json.member("averagingSeconds", guideline.averagingSeconds)
                json.member("upTo", guideline.limit)
                json.member("unit", Guideline.unit)
            }
        }
    }
}
