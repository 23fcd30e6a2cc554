import ControlProtocol

/// `/stations`: the owner's other stations, each with a verdict as in `/station`.
enum StationList {
    /// Writes the answer.
    ///
    /// - Parameter report: The courier's; nil while none runs.
    /// - Returns: JSON.
    static func json(_ report: StationsReport?) -> String {
        var json = JSONTextBuilder()
        json.object { json in
            json.member("search", report?.search.rawValue ?? "noCourier")
            json.member("why", report?.why)
            json.member("omitted", report?.omittedCount ?? 0)
            json.array("items", report?.items ?? []) { json, station in
                json.object { json in write(station, &json) }
            }
        }
        return json.text
    }

    private static func write(_ station: FoundStation, _ json: inout JSONTextBuilder) {
        json.member("name", station.name)
        json.member("url", station.url)
        json.member("host", station.host)
        json.member("feed", station.feed)
        json.member("state", station.state.rawValue)
        json.member("why", station.why)
        guard let facts = station.facts else { return }
        json.member("version", facts.version)
        json.member("isSimulated", facts.isSimulated)
        json.member("visited", facts.visited)
        json.member("latitude", facts.position?.latitude)
        json.member("longitude", facts.position?.longitude)
        json.array("quantities", facts.quantities) { $0.add($1) }
        json.member("hasLamp", facts.hasLamp)
        json.object("verdict") { json in
            json.member("level", facts.level)
            json.member("code", facts.code)
            json.member("words", facts.text)
            json.object("params") { json in
                json.member("device", facts.device)
                json.member("channel", facts.channel)
                json.member("cause", facts.cause)
                json.member("level", facts.level)
                json.member("sinceSeconds", facts.sinceSeconds)
                json.member("leftSeconds", facts.leftSeconds)
            }
        }
    }
}
