import ControlProtocol

/// `/profiles` and `/profiles/check`.
enum ProfilesView {
    static func list(_ report: ProfilesReport) -> String {
        var json = JSONTextBuilder()
        json.object { json in
            json.array("items", report.profiles) { json, profile in
                json.object { write(profile, &$0) }
            }
        }
        return json.text
    }

    private static func write(_ profile: ProfileReport, _ json: inout JSONTextBuilder) {
        json.member("id", profile.id)
        json.member("kind", profile.kind)
        json.member("name", profile.name)
        json.member("words", profile.words)
        json.member("driver", profile.driver)
        json.member("isOwn", profile.isOwn)
        json.member("periodSeconds", profile.periodSeconds)
        json.member("warmUpSeconds", profile.warmUpSeconds)
        json.member("preheatSeconds", profile.preheatSeconds)
        json.array("channels", profile.channels) { json, channel in
            json.object { json in
                json.member("quantity", channel.quantity)
                json.member("unit", channel.unit)
                json.member("decimals", channel.decimals)
                json.member("least", channel.least)
                json.member("most", channel.most)
                json.member("words", channel.words)
            }
        }
    }

    static func check(_ report: ProfileCheckReport) -> String {
        var json = JSONTextBuilder()
        json.object { json in
            json.member("id", report.id)
            json.member("isRight", report.mistakes.isEmpty)
            json.array("mistakes", report.mistakes) { json, mistake in
                json.object { json in
                    json.member("pointer", pointer(mistake.place))
                    json.member("reason", mistake.reason)
                    json.member("suggestion", mistake.suggestion)
                }
            }
        }
        return json.text
    }

    /// `channels[0].unit` as a JSON Pointer (RFC 6901): `/channels/0/unit`.
    static func pointer(_ place: String) -> String {
        guard !place.isEmpty else { return "" }
        var text = "/"
        for character in place {
            switch character {
            case ".", "[": text += "/"
            case "]": break
            case "~": text += "~0"
            case "/": text += "~1"
            default: text.append(character)
            }
        }
        return text
    }
}
