import Alerts
import ControlProtocol
import Core

/// The limits of a quantity, as the lamp's rule has them.
enum ChannelLimits {
    static func write(_ quantity: String, _ json: inout JSONText) {
        let scale = LevelRule.sampleLevels.scales.first { $0.quantity == quantity }
        guard let scale else { return }
        json.array("limits", scale.limits) { json, limit in
            json.object { json in
                json.member("level", limit.level.name)
                json.member("from", json: limit.reachedAt.description)
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

    /// `/rules`: what the lamp goes by, and the guidelines that means are held against.
    static var rules: String {
        var json = JSONText()
        json.object { json in
            json.array("items", [LevelRule.sampleLevels]) { json, rule in
                json.object { json in
                    json.member("id", rule.name)
                    json.member("name", rule.name)
                    json.member("isLamp", true)
                    let limits = rule.scales.flatMap { scale in
                        scale.limits.map { (scale.quantity, $0) }
                    }
                    json.array("limits", limits) { json, entry in
                        json.object { json in
                            json.member("quantity", entry.0)
                            json.member("level", entry.1.level.name)
                            json.member("from", json: entry.1.reachedAt.description)
                            json.member("leftBelow", json: entry.1.leftBelow.description)
                            json.member("unit", "µg/m³")
                        }
                    }
                }
            }
        }
        return json.text
    }
}
