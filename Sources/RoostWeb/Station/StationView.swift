import Alerts
import ControlProtocol
import Core

/// `/station` as the dashboard's first page reads it.
struct StationView: Sendable {
    /// The state of the station's program.
    enum Daemon: Sendable {
        case up(StatusReport, DevicesReport)
        /// It does not answer; for this many seconds, if known.
        case away(StationSilence.Absence, seconds: Double?)
        /// `roost web --store`: there is none.
        case none(name: String)
    }

    private let daemon: Daemon
    /// IANA name of the station's zone.
    private let zone: String
    private let name: String
    private let isSimulated: Bool
    /// Figures from the history, as far as it can be read.
    var summary = HistorySummary.Summary()
    /// Why changes of accounts and sessions are not kept, with the next step.
    var accountsTrouble: String?

    init(_ daemon: Daemon, name: String, zone: String, isSimulated: Bool) {
        self.daemon = daemon
        self.name = name
        self.zone = zone
        self.isSimulated = isSimulated
    }

    var json: String {
        var json = JSONTextBuilder()
        json.object { json in
            switch daemon {
            case .up(let status, let devices): write(status, devices, &json)
            case .away(let absence, let seconds):
                let isHung = absence == .hung
                var verdict = isHung ? Verdict.hung : Verdict.down
                verdict.sinceSeconds = seconds
                writeAbsence(isHung ? "hung" : "down", verdict, name, &json)
            case .none(let name): writeAbsence("none", Verdict.cardOnly, name, &json)
            }
            if let accountsTrouble {
                json.object("accounts") { $0.member("trouble", accountsTrouble) }
            }
        }
        return json.text
    }

    /// Whether a motion sensor sees motion, its hold included; nil without such a sensor.
    static func isVisited(_ devices: [DeviceReport]) -> Bool? {
        let sensors = devices.filter { $0.type == "pir" }
        return sensors.isEmpty ? nil : sensors.contains { $0.state == "motion" }
    }

    private func writeAbsence(
        _ state: String,
        _ verdict: Verdict,
        _ name: String,
        _ json: inout JSONTextBuilder
    ) {
        json.object("station") { json in
            json.member("name", name)
            json.member("version", RoostVersion.text)
            json.member("zone", zone)
            json.member("isSimulated", isSimulated)
        }
        json.object("daemon") { json in
            json.member("state", state)
            json.member("sinceSeconds", verdict.sinceSeconds)
        }
        write(verdict, &json)
        json.array("channels", [String]()) { _, _ in }
        json.array("faults", [String]()) { _, _ in }
        json.array("lasers", [String]()) { _, _ in }
    }

    private func write(_ verdict: Verdict, _ json: inout JSONTextBuilder) {
        json.object("verdict") { json in
            json.member("level", verdict.level.rawValue)
            json.member("code", verdict.code)
            json.member("words", verdict.sentence)
            json.array("because", verdict.because) { $0.add($1) }
            json.object("params") { json in
                json.member("device", verdict.subject)
                json.member("channel", verdict.because.first)
                json.member("cause", verdict.cause)
                json.member("level", verdict.level.rawValue)
                json.member("sinceSeconds", verdict.sinceSeconds)
                json.member("leftSeconds", verdict.leftSeconds)
            }
            json.array("doubts", verdict.doubts) { $0.add($1) }
            json.member("rule", LevelRule.sampleLevels.name)
        }
    }

    private func write(_ clock: ClockReport?, now: String?, _ json: inout JSONTextBuilder) {
        json.object("time") { json in
            json.member("now", now)
            json.member("trusted", clock?.isSure ?? false)
            json.member("trust", clock?.trust)
            json.member("nearby", clock?.nearby?.state.rawValue)
            json.member("stations", clock?.nearby?.stations.joined(separator: ", "))
        }
    }

    private func write(
        _ status: StatusReport,
        _ devices: DevicesReport,
        _ json: inout JSONTextBuilder
    ) {
        json.object("station") { json in
            json.member("name", status.name)
            json.member("version", status.version)
            json.member("bootID", status.bootID)
            json.member("uptimeSeconds", status.uptimeSeconds)
            json.member("zone", status.zone ?? zone)
            json.member("isSimulated", isSimulated)
            json.member("visited", Self.isVisited(devices.devices))
            json.member("latitude", status.position?.latitude)
            json.member("longitude", status.position?.longitude)
        }
        write(status.clock, now: status.wallTime, &json)
        json.object("daemon") { json in
            json.member("state", "up")
            json.member("sinceSeconds", status.uptimeSeconds)
        }
        write(Verdict(status, devices), &json)
        json.object("mode") { json in
            json.member("mode", status.mode.mode)
            json.member("name", status.mode.name)
            json.member("endsInSeconds", status.mode.endsInSeconds)
            json.member("noUpload", status.mode.isPrivate ?? false)
        }
        json.member("lamp", status.lamp)
        json.member("lampCause", json: Self.text(status.lampCause))
        json.array("channels", status.channels) { json, channel in
            let device = channel.channel.split(separator: "/").first.map(String.init)
            write(channel, devices.devices.first { $0.name == device }, &json)
        }
        json.array("lines", devices.devices.filter { $0.type == "pir" }) { json, device in
            json.object { json in
                json.member("device", device.name)
                json.member("kind", device.type)
                json.member("state", device.state)
            }
        }
        json.array("faults", status.faults) { json, fault in write(fault, &json) }
        json.array("lasers", status.lasers) { $0.raw(Self.text($1)) }
        json.object("store") { write(status.store, &$0) }
        if let complete = summary.complete {
            json.object("complete") { json in
                json.member("since", complete.since)
                json.member("coveredShare", complete.covered, decimals: 5)
                json.member("accountedShare", complete.accounted, decimals: 5)
            }
        }
        json.member("budget", json: Self.text(status.budget))
        json.member("watchdog", json: Self.text(status.watchdog))
        json.member("power", json: Self.text(status.power))
    }

    /// Encodes a report as JSON, which cannot fail for plain values.
    private static func text<Report: Encodable>(_ report: Report?) -> String {
        report.flatMap { try? ControlCodec.line($0) } ?? "null"
    }

    private func write(_ store: StoreReport?, _ json: inout JSONTextBuilder) {
        json.member("state", store.map { ($0.state ?? .ok).rawValue } ?? "none")
        json.member("folder", store?.folder)
        json.member("oldest", summary.oldest)
        json.member("keepsDays", summary.keepsDays)
        json.member("lossWindowSeconds", store?.lossWindowSeconds)
        json.member("waitingSeconds", store?.waitingSeconds)
        json.member("lastCommitAgeSeconds", store?.lastCommitAgeSeconds)
        // Then means and the two dates above are missing, and not empty.
        json.member("unreadable", summary.trouble)
    }

    /// Whether a fault of this kind keeps a device from measuring.
    private static func stops(_ kind: Substring) -> Bool {
        [
            "device-away", "device-unusable", "sensor-silent", "sensor-other", "sensor-stuck",
            "line-stuck",
        ].contains(String(kind))
    }

    private func write(_ fault: FaultReport, _ json: inout JSONTextBuilder) {
        let parts = fault.id.split(separator: ":", maxSplits: 1)
        json.object { json in
            json.member("id", fault.id)
            json.member("kind", parts.first.map(String.init))
            json.member("device", parts.dropFirst().first.map(String.init))
            json.member("since", fault.since)
            json.member("sinceSeconds", fault.ageSeconds)
            json.member("stops", Self.stops(parts.first ?? ""))
            json.member("words", fault.sentence)
            json.member("next", fault.nextStep)
        }
    }

    private func write(
        _ channel: ChannelReport,
        _ device: DeviceReport?,
        _ json: inout JSONTextBuilder
    ) {
        let latest = channel.latest
        json.object { json in
            let parts = channel.channel.split(separator: "/", maxSplits: 1).map(String.init)
            json.member("id", channel.channel)
            json.member("device", parts.first)
            json.member("quantity", parts.last)
            json.member("unit", channel.unit)
            json.member("decimals", channel.facts?.decimals ?? latest?.decimals ?? 1)
            json.member("profile", channel.facts?.profile)
            if let facts = channel.facts, let least = facts.least, let most = facts.most {
                json.array("range", [least, most]) { $0.add($1) }
            }
            json.member("value", latest?.value, decimals: latest?.decimals)
            json.member("noData", latest?.noData)
            json.array("quality", latest?.quality ?? []) { $0.add($1) }
            json.member("time", latest?.time)
            json.member("ageSeconds", channel.valueAgeSeconds)
            json.member("ageLimitSeconds", channel.ageLimitSeconds)
            json.member("intervalSeconds", channel.intervalSeconds)
            json.member("isStale", channel.isStale)
            json.member("level", channel.level)
            ChannelLimits.write(parts.last ?? "", &json)
            let progress = device?.progress
            json.member("phase", progress?.phase ?? device?.state)
            json.member("phaseEndsInSeconds", progress?.endsInSeconds)
            json.member("nextInSeconds", progress?.nextInSeconds ?? Self.next(channel))
            writeDay(of: channel, &json)
            let mutes = device?.mutes ?? []
            let covering: Set<String> = [parts.first ?? "", channel.channel]
            json.member("isMuted", mutes.contains { covering.contains($0.target) })
            json.member("records", channel.records ?? true)
        }
    }

    /// Seconds until the next sample of an older station, counted from the last attempt.
    private static func next(_ channel: ChannelReport) -> Double? {
        guard channel.facts == nil else { return nil }
        return channel.intervalSeconds.flatMap { interval in
            channel.latest.map { max(0, interval - $0.ageSeconds) }
        }
    }

    private func writeDay(of channel: ChannelReport, _ json: inout JSONTextBuilder) {
        guard let day = summary.days[channel.channel] else { return }
        json.member("mean24h", day.mean, decimals: day.decimals + 1)
        json.member("coverage24h", day.coverage, decimals: 3)
        json.member("omitted24h", day.omittedCount)
        guard let guideline = day.guideline else { return }
        json.object("guideline") { json in
            json.member("rule", Guideline.rule)
            json.member("averagingSeconds", guideline.averagingSeconds)
            json.member("limit", guideline.limit)
        }
    }
}
