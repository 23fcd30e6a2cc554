import Alerts
import ControlProtocol

/// The first sentence of the dashboard: whether the station measures, how the air is, and why not.
///
/// Pure. The first rule that holds decides; faults come before readings.
package struct Verdict: Hashable, Sendable {
    /// The symbol beside the sentence.
    package enum Level: String, Codable, Hashable, Sendable, CaseIterable {
        case good, moderate, poor, unknown, fault
    }

    package let level: Level
    /// Key in the client's catalogue of texts: `level.poor`, `dust.stale`.
    package let code: String
    /// The sentence in English.
    package private(set) var sentence: String
    /// Channels that decided it.
    package var because: [String] = []
    /// Subject of the sentence: a channel or a device.
    package var subject: String?
    /// Why the subject has no value: a `NoData`.
    package var cause: String?
    /// Seconds that it has been so; nil while that is not known.
    package var sinceSeconds: Double?
    /// Seconds until it is over, as for a warm-up or a mute.
    package var leftSeconds: Double?
    /// Quality flags of the values that decided it.
    package var doubts: [String] = []

    /// The verdict when the station's program does not run.
    package static let down = Verdict(
        level: .fault,
        code: "daemon.down",
        sentence: "The station's program does not run."
    )

    /// The verdict when the station's program accepts connections and does not answer.
    package static let hung = Verdict(
        level: .fault,
        code: "daemon.hung",
        sentence: "The station's program does not answer."
    )

    /// The verdict for a history without a station: a card in a reader.
    static let cardOnly = Verdict(
        level: .unknown,
        code: "daemon.none",
        sentence: "This is a card's history. No station measures here."
    )

    package init(
        level: Level,
        code: String,
        sentence: String,
        because: [String] = [],
        subject: String? = nil,
        cause: String? = nil
    ) {
        self.level = level
        self.code = code
        self.sentence = sentence
        self.because = because
        self.subject = subject
        self.cause = cause
    }

    package init(_ status: StatusReport, _ devices: DevicesReport) {
        let sensors = devices.devices.filter { !["traffic-light", "led"].contains($0.type) }
        if sensors.isEmpty {
            self = Verdict(level: .unknown, code: "no-sensor", sentence: "No sensor found.")
            return
        }
        let fresh = status.channels.filter { !$0.isStale && $0.latest?.value != nil }
        let store = Self.store(status)
        // The lamp follows dust; another quantity does not make the air known.
        let isDustMissing =
            status.channels.contains(where: Self.isDust) && !fresh.contains(where: Self.isDust)
        if fresh.isEmpty, let store, store.code != "store.full" {
            self = Verdict(
                level: .fault,
                code: "store.nothing",
                sentence: "Nothing is measured, and nothing can be stored."
            )
        } else if fresh.isEmpty || isDustMissing {
            self = Self.withoutValue(status.channels, sensors)
        } else if let store {
            self = store
        } else {
            self = Self.ofAir(status, fresh)
        }
    }

    // MARK: With values

    private static func ofAir(_ status: StatusReport, _ fresh: [ChannelReport]) -> Verdict {
        let level = level(status, fresh)
        let lamp = status.lampCause.flatMap { $0.because.isEmpty ? nil : $0 }
        let shown = fresh.filter { channel in
            guard let lamp, device(channel) == lamp.device else {
                return channel.level == level.rawValue
            }
            return lamp.level == level.rawValue && lamp.because.contains(channel.channel)
        }
        var verdict: Verdict
        let away = status.channels.first { channel in
            channel.isStale && channel.latest != nil && !channel.isNeverMeasured
        }
        if let away {
            let (subject, reason) = (device(away), away.latest?.noData)
            verdict = Verdict(
                level: level,
                code: reason == nil ? "channel.stale" : "channel.cause",
                sentence: reason.map { "\(air(level)) But \(subject) has no value: \($0)." }
                    ?? "\(air(level)) But \(subject) sends nothing.",
                subject: subject,
                cause: reason
            )
            verdict.sinceSeconds = away.valueAgeSeconds
        } else {
            let code = level == .unknown ? "level.none" : "level.\(level.rawValue)"
            verdict = Verdict(level: level, code: code, sentence: air(level))
        }
        verdict.because = shown.map(\.channel)
        let doubts = shown.flatMap { $0.latest?.quality ?? [] }
        verdict.doubts = doubts.enumerated().filter { !doubts[..<$0.offset].contains($0.element) }
            .map(\.element)
        if !verdict.doubts.isEmpty {
            verdict.sentence.removeLast()
            verdict.sentence += " (doubtful: \(verdict.doubts.joined(separator: ", ")))."
        }
        return verdict
    }

    /// The worst of the lamp's level, with its hysteresis, and of devices that it does not follow.
    private static func level(_ status: StatusReport, _ fresh: [ChannelReport]) -> Level {
        let lamp = [status.lamp, status.lampCause?.level].lazy
            .compactMap { $0.flatMap(Level.init(rawValue:)) }
            .first { $0 != .unknown && $0 != .fault }
        // An older station does not say which device its lamp follows.
        if let lamp, status.lampCause == nil { return lamp }
        let others = fresh.filter { lamp == nil || device($0) != status.lampCause?.device }
        let levels = others.compactMap { $0.level.flatMap(Level.init(rawValue:)) } + [lamp]
        return [.poor, .moderate, .good].first { levels.contains($0) } ?? .unknown
    }

    private static func air(_ level: Level) -> String {
        switch level {
        case .good: "Measuring. The air is good."
        case .moderate: "Measuring. The air is moderate."
        case .poor: "Measuring. The air is poor."
        case .unknown, .fault: "Measuring."
        }
    }

    /// The verdict while values are not stored; nil while they are, and without a store.
    private static func store(_ status: StatusReport) -> Verdict? {
        let (code, why): (String, String)
        switch status.store?.state {
        case .full?: (code, why) = ("store.full", ": there is no room on the card")
        case .missing?: (code, why) = ("store.missing", ": the store cannot be opened")
        case .failing?: (code, why) = ("store.failing", ": the card takes no writes")
        case .historyFailing?: (code, why) = ("store.history", ": the history cannot be written")
        case .ok?, .opening?: return nil
        case nil:
            // An older station only has the fault.
            let kinds = ["store-not-writing", "history-not-writable", "history-full"]
            let isFailing = status.faults.contains { fault in
                kinds.contains { fault.id.hasPrefix($0) }
            }
            guard isFailing else { return nil }
            (code, why) = ("store.failing", "")
        }
        return Verdict(
            level: .fault,
            code: code,
            sentence: "Measuring, but keeping only the last hours\(why)."
        )
    }

    // MARK: Without values

    private static func withoutValue(
        _ channels: [ChannelReport],
        _ sensors: [DeviceReport]
    ) -> Verdict {
        let dust = channels.filter(isDust)
        let wanted = dust.isEmpty ? channels : dust
        let measured = wanted.filter { $0.valueAgeSeconds != nil }
        if measured.isEmpty, let verdict = warming(sensors) { return verdict }
        let youngest = wanted.filter { $0.latest?.noData != nil }
            .min { ($0.latest?.ageSeconds ?? 0) < ($1.latest?.ageSeconds ?? 0) }
        guard let youngest, let reason = youngest.latest?.noData else {
            guard let last = measured.min(by: { $0.age < $1.age }) else {
                return Verdict(level: .unknown, code: "no-value", sentence: "No value yet.")
            }
            var verdict = Verdict(
                level: .unknown,
                code: "dust.old",
                sentence: "No value for a while.",
                because: [last.channel],
                subject: device(last)
            )
            verdict.sinceSeconds = last.valueAgeSeconds
            return verdict
        }
        let subject = device(youngest)
        // Back in its socket, it has no other reason until its next sample.
        let isBack = ["unplugged", "unusable", "warmingUp", "stopped"].contains(reason)
        if isBack,
            let verdict = warming(sensors.filter { $0.name == subject && $0.progress != nil })
        {
            return verdict
        }
        if reason == "muted" { return muted(sensors.first { $0.name == subject }, youngest) }
        var verdict = Verdict(
            level: .unknown,
            code: "dust.stale",
            sentence: "No value of \(subject): \(reason).",
            because: [youngest.channel],
            subject: subject,
            cause: reason
        )
        verdict.sinceSeconds = youngest.valueAgeSeconds
        return verdict
    }

    /// A sensor on its way to its first value, or to one after it was away.
    private static func warming(_ sensors: [DeviceReport]) -> Verdict? {
        let coming = sensors.first { ["warming", "measuring"].contains($0.progress?.phase) }
        let starting = ["starting", "settling", "warming up"]
        guard let warm = coming ?? sensors.first(where: { starting.contains($0.state) }) else {
            return nil
        }
        var verdict = Verdict(
            level: .unknown,
            code: "warming",
            sentence: "Warming up: \(warm.name).",
            subject: warm.name
        )
        verdict.leftSeconds = warm.progress?.nextInSeconds
        return verdict
    }

    private static func muted(_ device: DeviceReport?, _ channel: ChannelReport) -> Verdict {
        let subject = Self.device(channel)
        var verdict = Verdict(
            level: .unknown,
            code: "muted",
            sentence: "\(subject) is muted.",
            because: [channel.channel],
            subject: subject,
            cause: "muted"
        )
        verdict.leftSeconds = device?.mutes.compactMap(\.endsInSeconds).min()
        return verdict
    }

    private static func isDust(_ channel: ChannelReport) -> Bool {
        let quantity = channel.channel.split(separator: "/", maxSplits: 1).last ?? ""
        return LevelRule.sampleLevels.scales.contains { $0.quantity == quantity }
    }

    private static func device(_ channel: ChannelReport) -> String {
        String(channel.channel.split(separator: "/").first ?? "")
    }
}

extension ChannelReport {
    fileprivate var age: Double { valueAgeSeconds ?? .infinity }
}
