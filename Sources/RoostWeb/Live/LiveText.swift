import ControlProtocol
import Core

/// The station's live items as the dashboard's.
enum LiveText {
    static func reading(_ reading: ReadingReport) -> String {
        let parts = reading.channel.split(separator: "/", maxSplits: 1).map(String.init)
        var json = JSONTextBuilder()
        json.object { json in
            json.member("device", parts.first)
            json.member("time", reading.time)
            json.member("isSure", reading.isSure)
            json.member("ageSeconds", reading.ageSeconds)
            json.object("values") { json in
                json.object(parts.last ?? "") { json in
                    json.member("value", reading.value, decimals: reading.decimals)
                    json.member("noData", reading.noData)
                    json.array("quality", reading.quality) { $0.add($1) }
                    json.member("level", ChannelLimits.level(of: reading, parts.last ?? ""))
                }
            }
        }
        return json.text
    }

    static func event(_ event: EventReport) -> String {
        var json = JSONTextBuilder()
        json.object { json in
            json.member("time", event.time)
            json.member("isSure", event.isSure)
            json.member("instantSeconds", event.instantSeconds)
            json.member("source", event.source)
            json.member("kind", event.kind)
            json.member("severity", event.severity)
            json.member("details", event.details)
        }
        return json.text
    }

    /// Whether an event belongs to an alert's life: pages show it at once, once by its number.
    static func isAlert(_ event: EventReport) -> Bool {
        event.kind.hasPrefix("alert ")
    }

    /// Returns what a page should ask for again after an event; nil when nothing shown changed.
    static func changes(_ event: EventReport) -> String? {
        let isNews =
            event.severity != "info"
            || ["device", "mode", "lamp", "mute", "sensor", "child", "motion"].contains {
                event.kind.hasPrefix($0)
            }
        return isNews ? "{\"changed\":[\"mode\",\"faults\",\"devices\",\"lamp\"]}" : nil
    }
}
