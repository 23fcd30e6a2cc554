import ControlProtocol

/// `/health`: what is wrong now and what to do, in the shape of `roost doctor`.
///
/// The station's own faults, and what its status says is well; what only a shell on the station can
/// see is named as hidden.
struct HealthView {
    private struct Finding {
        let name: String
        let verdict: String
        let sentence: String
        var next: String?
        var since: String?
    }

    private let status: StatusReport

    init(_ status: StatusReport) { self.status = status }

    var json: String {
        var json = JSONText()
        json.object { json in
            json.member("at", status.wallTime)
            json.array("findings", faults + checks) { json, finding in
                json.object { json in
                    json.member("name", finding.name)
                    json.member("verdict", finding.verdict)
                    json.member("words", finding.sentence)
                    json.member("next", finding.next)
                    json.member("since", finding.since)
                }
            }
            json.array("hidden", ["roost doctor"]) { $0.add($1) }
        }
        return json.text
    }

    private var faults: [Finding] {
        status.faults.map { fault in
            Finding(
                name: fault.id,
                verdict: "warning",
                sentence: fault.sentence,
                next: fault.nextStep,
                since: fault.since
            )
        }
    }

    private var checks: [Finding] {
        let fresh = status.channels.count { !$0.isStale }
        let all = status.channels.count
        let trust = status.clock?.trust ?? "unknown"
        let isSure = status.clock?.isSure == true
        return [
            Finding(
                name: "channels",
                verdict: fresh == all && all > 0 ? "ok" : "warning",
                sentence: "\(fresh) of \(all) channels have a fresh value",
                next: all == 0 ? "plug a sensor in; roost devices shows what is there" : nil
            ),
            Finding(
                name: "clock",
                verdict: isSure ? "ok" : "warning",
                sentence: "the clock is trusted by: \(trust)",
                next: isSure ? nil : "connect to a network with a time server, or roost clock trust"
            ),
            Finding(
                name: "store",
                verdict: status.store == nil ? "warning" : "ok",
                sentence: status.store.map { "it stores in \($0.folder)" } ?? "it stores nothing",
                next: status.store == nil ? "configure `store`; see roost doctor" : nil
            ),
            Finding(
                name: "watchdog",
                verdict: status.watchdog == nil ? "skipped" : "ok",
                sentence: status.watchdog.map {
                    "it resets the computer after \(Int($0.timeoutSeconds)) s without progress"
                } ?? "no watchdog is configured: a hanging computer stays as it is"
            ),
        ]
    }
}
