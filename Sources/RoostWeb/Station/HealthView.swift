import ControlProtocol
import StoreQueries

/// `/health`: what is wrong now and what to do, in the shape of `roost doctor`.
///
/// The station's own faults, then the results of its checks of the machine. Checks that its sandbox
/// prevents are listed as hidden.
struct HealthView: Codable, Sendable {
    /// When it was asked, and how old the checks of the machine were.
    @OrNull var at: String?
    @OrNull var ageSeconds: Double?
    let findings: [FindingReport]
    /// Checks that only a shell sees.
    let hidden: [String]
    /// Starts of the program; null while the history cannot be read.
    @OrNull var boots: [StoreStarts.Start]?

    /// - Parameters:
    ///   - examined: Results of the station's checks; nil from a station that refused.
    ///   - starts: Nil while the history cannot be read.
    init(_ status: StatusReport, _ examined: FindingsReport?, _ starts: StoreStarts?) {
        let faults = status.faults.map { fault in
            var finding = FindingReport(
                name: fault.id,
                verdict: "warning",
                sentence: fault.sentence,
                details: [],
                nextStep: fault.nextStep
            )
            finding.since = fault.since
            return finding
        }
        let own = [Self.channels(status), Self.storing(status)].compactMap(\.self)
        findings = faults + own + (examined?.findings ?? [])
        hidden = examined?.hidden ?? ["roost doctor"]
        (at, ageSeconds, boots) = (status.wallTime, examined?.ageSeconds, starts?.boots)
    }

    private static func channels(_ status: StatusReport) -> FindingReport {
        let measured = status.channels.filter { !$0.isNeverMeasured }
        let fresh = measured.count { !$0.isStale }
        let all = measured.count
        return FindingReport(
            name: "channels",
            verdict: fresh == all && all > 0 ? "ok" : "warning",
            sentence: all == 0
                ? "no sensor is there" : "\(fresh) of \(all) channels have a fresh value",
            details: measured.filter(\.isStale).map { "\($0.channel) has none" },
            nextStep: all == 0
                ? "plug a sensor in; roost devices shows what is there"
                : fresh < all ? "see Devices, or roost devices" : nil
        )
    }

    /// The finding about the store; nil where `roost doctor` or a fault reports it.
    private static func storing(_ status: StatusReport) -> FindingReport? {
        guard let store = status.store, store.state == .ok || store.state == .opening else {
            return nil
        }
        let window = store.lossWindowSeconds.map { ", a power cut costs \(Int($0)) s at most" }
        let last = store.lastCommitAgeSeconds.map { ", the last write was \(Int($0)) s ago" }
        return FindingReport(
            name: "storing",
            verdict: "ok",
            sentence: "it stores in \(store.folder)\(window ?? "")\(last ?? "")",
            details: [],
            nextStep: nil
        )
    }
}
