import ControlProtocol
import StoreQueries

/// `/health`: what is wrong now and what to do, in the shape of `roost doctor`.
///
/// The station's own faults, then the results of its checks of the machine. Checks that its sandbox
/// prevents are listed as hidden.
struct HealthView {
    private let status: StatusReport
    /// Results of the station's checks; nil from an older station.
    private let examined: FindingsReport?
    /// Starts of the program and their reasons; nil while the history cannot be read.
    private let starts: StoreStarts?

    init(_ status: StatusReport, _ examined: FindingsReport?, _ starts: StoreStarts?) {
        (self.status, self.examined, self.starts) = (status, examined, starts)
    }

    func json() throws -> String {
        let boots = try starts.map { try ControlCodec.line($0.boots) } ?? "null"
        var json = JSONTextBuilder()
        json.object { json in
            json.member("at", status.wallTime)
            json.member("ageSeconds", examined?.ageSeconds)
            json.array("findings", findings) { json, finding in
                json.object { json in
                    json.member("name", finding.name)
                    json.member("verdict", finding.verdict)
                    json.member("words", finding.words)
                    json.array("details", finding.details) { $0.add($1) }
                    json.member("next", finding.next)
                    json.member("since", since(finding.name))
                }
            }
            json.array("hidden", examined?.hidden ?? ["roost doctor"]) { $0.add($1) }
            json.member("boots", json: boots)
        }
        return json.text
    }

    private func since(_ name: String) -> String? { status.faults.first { $0.id == name }?.since }

    private var findings: [FindingReport] {
        status.faults.map { fault in
            FindingReport(
                name: fault.id,
                verdict: "warning",
                words: fault.sentence,
                details: [],
                next: fault.nextStep
            )
        } + [channels, storing].compactMap(\.self) + (examined?.findings ?? [])
    }

    private var channels: FindingReport {
        let measured = status.channels.filter { !$0.isNeverMeasured }
        let fresh = measured.count { !$0.isStale }
        let all = measured.count
        return FindingReport(
            name: "channels",
            verdict: fresh == all && all > 0 ? "ok" : "warning",
            words: "\(fresh) of \(all) channels have a fresh value",
            details: measured.filter(\.isStale).map { "\($0.channel) has none" },
            next: all == 0
                ? "plug a sensor in; roost devices shows what is there"
                : fresh < all ? "see Devices, or roost devices" : nil
        )
    }

    /// The finding about the store; nil where `roost doctor` or a fault reports it.
    private var storing: FindingReport? {
        guard let store = status.store, store.state == .ok || store.state == .opening else {
            return nil
        }
        let window = store.lossWindowSeconds.map { ", a power cut costs \(Int($0)) s at most" }
        let last = store.lastCommitAgeSeconds.map { ", the last write was \(Int($0)) s ago" }
        return FindingReport(
            name: "storing",
            verdict: "ok",
            words: "it stores in \(store.folder)\(window ?? "")\(last ?? "")",
            details: [],
            next: nil
        )
    }
}
