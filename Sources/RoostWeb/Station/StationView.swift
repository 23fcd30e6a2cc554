import ControlProtocol
import Core

/// `/station` as the dashboard's first page reads it.
package struct StationView: Sendable {
    /// Where the station's program is.
    package enum Daemon: Sendable {
        case up(StatusReport, DevicesReport)
        /// It does not answer.
        case down
        /// `roost web --store`: there is none.
        case none(name: String)
    }

    private let daemon: Daemon
    /// IANA name of the station's zone.
    private let zone: String
    private let name: String
    private let isSimulated: Bool

    package init(_ daemon: Daemon, name: String, zone: String, isSimulated: Bool) {
        self.daemon = daemon
        self.name = name
        self.zone = zone
        self.isSimulated = isSimulated
    }

    package var json: String {
        var json = JSONText()
        json.object { json in
            switch daemon {
            case .up(let status, let devices): write(status, devices, &json)
            case .down: writeAbsence("down", Verdict.down, name, &json)
            case .none(let name): writeAbsence("none", Verdict.cardOnly, name, &json)
            }
        }
        return json.text
    }

    private func writeAbsence(
        _ state: String,
        _ verdict: Verdict,
        _ name: String,
        _ json: inout JSONText
    ) {
        json.object("station") { json in
            json.member("name", name)
            json.member("version", RoostVersion.text)
            json.member("zone", zone)
            json.member("isSimulated", isSimulated)
        }
        json.object("daemon") { $0.member("state", state) }
        write(verdict, &json)
        json.array("channels", [String]()) { _, _ in }
        json.array("faults", [String]()) { _, _ in }
        json.array("lasers", [String]()) { _, _ in }
    }

    private func write(_ verdict: Verdict, _ json: inout JSONText) {
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
            }
            json.member("rule", "sample-levels")
        }
    }

    private func write(
        _ status: StatusReport,
        _ devices: DevicesReport,
        _ json: inout JSONText
    ) {
        json.object("station") { json in
            json.member("name", status.name)
            json.member("version", status.version)
            json.member("bootId", status.bootID)
            json.member("uptimeSeconds", status.uptimeSeconds)
            json.member("zone", zone)
            json.member("isSimulated", isSimulated)
        }
        json.object("time") { json in
            json.member("now", status.wallTime)
            json.member("trusted", status.clock?.isSure ?? false)
            json.member("trust", status.clock?.trust)
        }
        json.object("daemon") { json in
            json.member("state", "up")
            json.member("sinceSeconds", status.uptimeSeconds)
        }
        write(Verdict(status, devices), &json)
        json.object("mode") { json in
            json.member("mode", status.mode.mode)
            json.member("name", status.mode.name)
            json.member("endsInSeconds", status.mode.endsInSeconds)
        }
        json.member("lamp", status.lamp)
        json.array("channels", status.channels) { json, channel in
            let device = channel.channel.split(separator: "/").first.map(String.init)
            write(channel, devices.devices.first { $0.name == device }, &json)
        }
        json.array("faults", status.faults) { json, fault in write(fault, &json) }
        json.array("lasers", status.lasers) { json, laser in
            json.raw((try? ControlCodec.line(laser)) ?? "null")
        }
        json.object("store") { json in
            json.member("state", status.store == nil ? "none" : "ok")
            json.member("folder", status.store?.folder)
        }
        json.member("budget", json: (try? ControlCodec.line(status.budget)) ?? "null")
        json.member(
            "watchdog",
            json: status.watchdog.flatMap { try? ControlCodec.line($0) } ?? "null"
        )
    }

    /// Whether a fault of this kind keeps a device from measuring.
    private static func stops(_ kind: Substring) -> Bool {
        ["device-away", "device-unusable", "sensor-silent", "sensor-stuck", "line-stuck"]
            .contains(String(kind))
    }

    private func write(_ fault: FaultReport, _ json: inout JSONText) {
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
        _ json: inout JSONText
    ) {
        let latest = channel.latest
        json.object { json in
            let parts = channel.channel.split(separator: "/", maxSplits: 1).map(String.init)
            json.member("id", channel.channel)
            json.member("device", parts.first)
            json.member("quantity", parts.last)
            json.member("unit", channel.unit)
            json.member("decimals", latest?.decimals ?? 1)
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
            json.member("phase", device?.state)
            // Counted from the last attempt, with or without a value.
            json.member(
                "nextInSeconds",
                channel.intervalSeconds.flatMap { interval in
                    latest.map { max(0, interval - $0.ageSeconds) }
                }
            )
            json.member("isMuted", device?.mutes.isEmpty == false)
            json.member("records", true)
        }
    }
}
