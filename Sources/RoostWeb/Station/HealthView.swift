import ControlProtocol

/// `/health`: what is wrong now and what to do, in the shape of `roost doctor`.
///
/// The station's own faults alone: what only a shell on the station can see is named as hidden.
struct HealthView {
    private let status: StatusReport

    init(_ status: StatusReport) { self.status = status }

    var json: String {
        var json = JSONText()
        json.object { json in
            json.member("at", status.wallTime)
            json.array("findings", status.faults) { json, fault in
                json.object { json in
                    json.member("name", fault.id)
                    json.member("verdict", "warning")
                    json.member("words", fault.sentence)
                    json.member("next", fault.nextStep)
                    json.member("since", fault.since)
                }
            }
            json.array("hidden", ["roost doctor"]) { $0.add($1) }
            json.member(
                "watchdog",
                json: status.watchdog.flatMap { try? ControlCodec.line($0) } ?? "null"
            )
        }
        return json.text
    }
}
