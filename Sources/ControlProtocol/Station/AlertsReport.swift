/// The alerts of a station: what is raised, what waits, what is silenced, and its rules.
///
/// Bounds: 256 alerts, 32 silences, 64 rules in use and as many that are off; some 110 KiB at most.
package struct AlertsReport: Codable, Hashable, Sendable {
    /// One alert that is pending, raised or easing.
    package struct Alert: Codable, Hashable, Sendable {
        /// Number by which a person acknowledges it; nil before it is raised.
        package let n: Int64?
        /// Rule and its subject, a channel, a device or `station`: `who-24h:balcony/pm25`.
        package let key: String
        /// `pending`, `raised` or `easing`.
        package let state: String
        /// 0…2.
        package let level: Int
        /// `notice`, `warning`, `critical`.
        package let severity: String
        /// Seconds since it was raised; before that, since the condition began.
        package let sinceSeconds: Double
        package var value: Double?
        package var worst: Double?
        package var limit: Double?
        package var unit: String?
        /// The averaging time of the value.
        package var overSeconds: Int?
        /// 0…1: the part of that time that has values.
        package var cover: Double?
        /// Why it has no value now; nil with one.
        package var blind: String?
        /// Seconds for which it is unknown whether it still holds; nil with a value.
        package var blindSeconds: Double?
        /// The condition of a rule that compares no value with a limit: `unplugged`.
        package var why: String?
        /// Doubts about the value, and `flapping`.
        package var flags: [String] = []
        /// Whether a person has acknowledged it.
        package var isAcknowledged = false
        /// Seconds left of the acknowledgement; nil: until the alert ends or grows worse.
        package var acknowledgedSeconds: Double?
        /// Seconds for which its notices are still held back.
        package var silencedSeconds: Double?
        /// Key of the alert that suppresses this one (`Rule.unless`).
        package var hiddenBy: String?

        package init(
            n: Int64?,
            key: String,
            state: String,
            level: Int,
            severity: String,
            sinceSeconds: Double
        ) {
            (self.n, self.key, self.state, self.level) = (n, key, state, level)
            (self.severity, self.sinceSeconds) = (severity, sinceSeconds)
        }
    }

    package struct Silence: Codable, Hashable, Sendable {
        package let key: String
        package let seconds: Double

        package init(key: String, seconds: Double) { (self.key, self.seconds) = (key, seconds) }
    }

    /// One rule, with its present state at each channel.
    package struct Rule: Codable, Hashable, Sendable {
        package struct Part: Codable, Hashable, Sendable {
            /// Its channels: `*/pm25`.
            package let channels: String
            /// `mean`, `silent`.
            package let kind: String
            /// Values where its steps begin, and in `ends` where they end; empty without limits.
            package let limits: [Double]
            package let ends: [Double]
            /// Whether low values are the bad ones.
            package let isFloor: Bool
            package let overSeconds: Int?
            /// Intervals without a value, for `silent`; nil for others.
            package var intervalCount: Int?
            /// Share of its life that a part has used, in per cent, and days that it has left, for
            /// `laser`: either counts; nil for others.
            package var usedPercent: Double?
            package var daysLeft: Int?

            package init(
                channels: String,
                kind: String,
                limits: [Double],
                ends: [Double],
                isFloor: Bool,
                overSeconds: Int?
            ) {
                (self.channels, self.kind, self.limits) = (channels, kind, limits)
                (self.ends, self.isFloor, self.overSeconds) = (ends, isFloor, overSeconds)
            }
        }

        package struct Present: Codable, Hashable, Sendable {
            package let key: String
            /// `quiet`, `pending`, `raised` or `easing`.
            package let state: String
            package let value: Double?
            package let cover: Double?

            package init(key: String, state: String, value: Double?, cover: Double?) {
                (self.key, self.state, self.value, self.cover) = (key, state, value, cover)
            }
        }

        /// Who wrote a rule; that of the file is locked.
        package enum Origin: String, Codable, Sendable, CaseIterable {
            case shipped, file, ui
        }

        package let id: String
        package var origin = Origin.shipped
        /// The owner's entry about it, as JSON; nil without one.
        ///
        /// A rule of the file hides it.
        package var source: String?
        /// Changes with that entry, for `ChangeRule`; `none` without one, nil from older stations.
        package var tag: String?
        package let severity: String
        package let forSeconds: Int
        package let untilSeconds: Int
        package let unless: [String]
        package let words: [String: String]
        package let parts: [Part]
        package var present: [Present] = []

        package init(
            id: String,
            severity: String,
            times: (for: Int, until: Int),
            unless: [String],
            words: [String: String],
            parts: [Part]
        ) {
            (self.id, self.severity, self.unless, self.words) = (id, severity, unless, words)
            (forSeconds, untilSeconds, self.parts) = (times.for, times.until, parts)
        }
    }

    /// Whether alerts may be raised: only once the store has said which ones already are.
    package let isReady: Bool
    /// The last number that was given to a notice.
    package let number: Int64
    /// Raised ones by their numbers, then pending ones by their keys.
    package let alerts: [Alert]
    package let silences: [Silence]
    package let rules: [Rule]
    /// Rules that are switched off, and those that come with Roost and are not in use.
    package var off: [Rule] = []
    /// Alerts left out because the bound was reached.
    package let leftOutCount: Int
    /// What people call devices, by their names; nil without any, and from older stations.
    package var titles: [String: String]?

    package init(
        isReady: Bool,
        number: Int64,
        alerts: [Alert],
        silences: [Silence],
        rules: [Rule],
        leftOutCount: Int
    ) {
        (self.isReady, self.number, self.alerts) = (isReady, number, alerts)
        (self.silences, self.rules, self.leftOutCount) = (silences, rules, leftOutCount)
    }
}

/// The alerts of a station in its status: the worst, and how many.
package struct AlertsSummary: Codable, Hashable, Sendable {
    /// Raised and not acknowledged, the most severe first; `listMax` at most.
    package let raised: [AlertsReport.Alert]
    package let raisedCount: Int
    package let acknowledgedCount: Int
    package let pendingCount: Int

    /// Alerts in a status report, at most.
    package static let listMax = 8

    package init(_ alerts: [AlertsReport.Alert]) {
        let all = alerts.filter { $0.level > 0 }
        let open = all.filter { !$0.isAcknowledged }
        func rank(_ alert: AlertsReport.Alert) -> Int {
            ["notice", "warning", "critical"].firstIndex(of: alert.severity) ?? 0
        }
        let sorted = open.sorted { (rank($1), $0.n ?? 0) < (rank($0), $1.n ?? 0) }
        raised = Array(sorted.prefix(Self.listMax))
        (raisedCount, acknowledgedCount) = (all.count, all.count - open.count)
        pendingCount = alerts.count - all.count
    }
}
