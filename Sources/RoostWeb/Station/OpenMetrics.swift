import ControlProtocol
import Core
import Store

/// The station's figures as OpenMetrics 1.0 text, or in the older format of Prometheus.
struct OpenMetrics: Sendable {
    enum Format: Hashable, Sendable {
        case openMetrics
        /// Counters are described by their whole name, and nothing ends the text.
        case prometheus

        /// Chooses the format by the field `Accept`; by default the older one.
        init(accepting field: String?) {
            let isNamed = field?.contains("application/openmetrics-text") == true
            self = isNamed ? .openMetrics : .prometheus
        }

        var mediaType: String {
            switch self {
            case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
            case .prometheus: "text/plain; version=0.0.4; charset=utf-8"
            }
        }
    }

    private let status: StatusReport
    private let listeners: Int
    private let format: Format
    /// Reports of the targets, where a courier runs.
    var outbox: [OutboxReport] = []

    init(_ status: StatusReport, listeners: Int, format: Format = .openMetrics) {
        (self.status, self.listeners, self.format) = (status, listeners, format)
    }

    var text: String {
        var lines: [String] = []
        func family(_ name: String, _ type: String, _ help: String, _ samples: [String]) {
            guard !samples.isEmpty else { return }
            let isWhole = format == .prometheus && type == "counter"
            let name = isWhole ? name + "_total" : name
            lines.append("# TYPE \(name) \(type)")
            lines.append("# HELP \(name) \(help)")
            lines += samples
        }
        // An old value is left out: a collector would take it for a new one.
        let fresh = status.channels.filter { !$0.isStale && $0.latest?.value != nil }
        family(
            "roost_reading",
            "gauge",
            "Latest value of a channel.",
            fresh.map { channel in
                let labels = Self.labels(["channel": channel.channel, "unit": channel.unit])
                return "roost_reading\(labels) \(channel.latest?.measured?.description ?? "0")"
            }
        )
        family(
            "roost_reading_age_seconds",
            "gauge",
            "Age of the last value of a channel.",
            status.channels.compactMap { channel in
                channel.valueAgeSeconds.map { age in
                    "roost_reading_age_seconds\(Self.labels(["channel": channel.channel])) \(age)"
                }
            }
        )
        family(
            "roost_laser_hours",
            "counter",
            "Hours that a laser was on.",
            status.lasers.map {
                "roost_laser_hours_total\(Self.labels(["part": $0.part])) \($0.hours)"
            }
        )
        let budget = status.budget
        family("roost_wakeups", "counter", "Wake-ups.", ["roost_wakeups_total \(budget.wakeUps)"])
        family(
            "roost_cpu_seconds",
            "counter",
            "CPU time.",
            ["roost_cpu_seconds_total{process=\"roostd\"} \(budget.cpuMilliseconds / 1_000)"]
        )
        family(
            "roost_resident_bytes",
            "gauge",
            "Resident memory.",
            ["roost_resident_bytes{process=\"roostd\"} \(budget.residentKiB * 1_024)"]
        )
        family("roost_faults", "gauge", "Faults now.", ["roost_faults \(status.faults.count)"])
        family(
            "roost_lamp",
            "gauge",
            "The lamp's state.",
            status.lamp.map { ["roost_lamp\(Self.labels(["state": $0])) 1"] } ?? []
        )
        let isTrusted = status.clock?.isSure == true ? 1 : 0
        family(
            "roost_clock_trusted",
            "gauge",
            "1 for a sure clock.",
            ["roost_clock_trusted \(isTrusted)"]
        )
        family(
            "roost_live_clients",
            "gauge",
            "Pages that follow.",
            ["roost_live_clients \(listeners)"]
        )
        let counted = outbox.compactMap { report in report.samples.map { (report, $0) } }
        family(
            "roost_outbox_waiting_samples",
            "gauge",
            "Samples that wait for a target.",
            counted.map { report, samples in
                "roost_outbox_waiting_samples\(Self.labels(["target": report.id]))"
                    + " \(samples.waiting)"
            }
        )
        family(
            "roost_outbox_delivered_samples",
            "counter",
            "Samples that a target has, since it was added.",
            counted.map { report, samples in
                "roost_outbox_delivered_samples_total\(Self.labels(["target": report.id]))"
                    + " \(samples.delivered)"
            }
        )
        family(
            "roost_outbox_left_out_samples",
            "counter",
            "Samples that a target does not get, by reason, since it was added.",
            counted.flatMap { report, samples in
                samples.leftOut.sorted { $0.key < $1.key }.map { reason, count in
                    let labels = Self.labels(["target": report.id, "reason": reason])
                    return "roost_outbox_left_out_samples_total\(labels) \(count)"
                }
            }
        )
        family(
            "roost_outbox_held",
            "gauge",
            "1 for a target that waits for a person.",
            outbox.map { report in
                let isHeld = [.held, .broken].contains(report.state) ? 1 : 0
                return "roost_outbox_held\(Self.labels(["target": report.id])) \(isHeld)"
            }
        )
        family(
            "roost_outbox_oldest_waiting_seconds",
            "gauge",
            "Age of the oldest sample that waits for a target.",
            outbox.compactMap { report in
                age(of: report.oldestWaiting).map { age in
                    let labels = Self.labels(["target": report.id])
                    return "roost_outbox_oldest_waiting_seconds\(labels) \(age)"
                }
            }
        )
        // At most the number of alerts in a status, the most severe.
        let raised = Dictionary(grouping: status.alerts?.raised ?? []) { alert in
            [String(alert.key.prefix { $0 != ":" }), alert.severity]
        }
        family(
            "roost_alerts_raised",
            "gauge",
            "Alerts that are raised and not acknowledged.",
            raised.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { key, alerts in
                let labels = Self.labels(["rule": key[0], "severity": key[1]])
                return "roost_alerts_raised\(labels) \(alerts.count)"
            }
        )
        let end = format == .openMetrics ? ["# EOF"] : []
        return (lines + end).joined(separator: "\n") + "\n"
    }

    /// Seconds since 1970 by the station's clock; nil while it has none.
    private func age(of time: String?) -> Int64? {
        guard let now = status.clock?.time.flatMap(WallTime.init(iso8601:)),
            let then = time.flatMap(WallTime.init(iso8601:))
        else { return nil }
        return max(now.nanoseconds - then.nanoseconds, 0) / 1_000_000_000
    }

    /// Escaped as the format asks: backslash, quote and line feed.
    private static func labels(_ pairs: KeyValuePairs<String, String>) -> String {
        let texts = pairs.map { name, value in
            var escaped = ""
            for character in value {
                switch character {
                case "\\": escaped += "\\\\"
                case "\"": escaped += "\\\""
                case "\n": escaped += "\\n"
                default: escaped.append(character)
                }
            }
            return "\(name)=\"\(escaped)\""
        }
        return "{" + texts.joined(separator: ",") + "}"
    }
}
