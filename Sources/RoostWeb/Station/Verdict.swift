import ControlProtocol

/// The first sentence of the dashboard: whether the station measures, how the air is, and why not.
///
/// Pure. Faults decide it before readings do: the first rule that holds.
package struct Verdict: Hashable, Sendable {
    /// What the mark shows.
    package enum Level: String, Hashable, Sendable {
        case good, moderate, poor, unknown, fault
    }

    package let level: Level
    /// For the client's catalogue: `level.poor`, `dust.stale`.
    package let code: String
    /// The sentence in English.
    package let sentence: String
    /// Channels that it rests on.
    package var because: [String] = []
    /// What the sentence names: a channel or a device.
    package var subject: String?
    /// Why the subject has no value: a `NoData`.
    package var cause: String?

    /// What a station's program that does not answer means.
    package static let down = Verdict(
        level: .fault,
        code: "daemon.down",
        sentence: "The station's program does not run."
    )

    /// A history without a station: a card in a reader.
    package static let cardOnly = Verdict(
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

    /// - Parameters:
    ///   - status: How the station is.
    ///   - devices: Its devices.
    package init(_ status: StatusReport, _ devices: DevicesReport) {
        let channels = status.channels
        let fresh = channels.filter { !$0.isStale && $0.latest?.value != nil }
        let sensors = devices.devices.filter { !["traffic-light", "led"].contains($0.type) }
        if sensors.isEmpty {
            self = Verdict(level: .unknown, code: "no-sensor", sentence: "No sensor found.")
            return
        }
        if fresh.isEmpty {
            self = Self.withoutValue(channels, sensors)
            return
        }
        let isStoreFailing = status.faults.contains { fault in
            ["store-not-writing", "history-not-writable", "history-full"].contains {
                fault.id.hasPrefix($0)
            }
        }
        let level = Self.level(status, fresh)
        let because = fresh.filter { $0.level == level.rawValue }.map(\.channel)
        let air = Self.air(level)
        let away = channels.first { $0.isStale && $0.latest != nil }
        let subject = away.map(Self.device)
        let (code, sentence): (String, String)
        if isStoreFailing {
            code = "store.failing"
            sentence = "Measuring, but keeping only the last hours."
        } else if let subject {
            code = "channel.stale"
            sentence = "\(air) But \(subject) sends nothing."
        } else {
            code = "level.\(level.rawValue)"
            sentence = air
        }
        self = Verdict(
            level: level,
            code: code,
            sentence: sentence,
            because: because,
            subject: subject
        )
    }

    private static func withoutValue(
        _ channels: [ChannelReport],
        _ sensors: [DeviceReport]
    ) -> Verdict {
        let warming = sensors.first { ["starting", "settling", "warming up"].contains($0.state) }
        let measured = channels.filter { $0.valueAgeSeconds != nil }
        if measured.isEmpty, let warming {
            return Verdict(
                level: .unknown,
                code: "warming",
                sentence: "Warming up: \(warming.name).",
                subject: warming.name
            )
        }
        let youngest = channels.filter { $0.latest?.noData != nil }
            .min { ($0.latest?.ageSeconds ?? 0) < ($1.latest?.ageSeconds ?? 0) }
        guard let youngest, let reason = youngest.latest?.noData else {
            return Verdict(
                level: .unknown,
                code: measured.isEmpty ? "no-value" : "dust.stale",
                sentence: measured.isEmpty ? "No value yet." : "No value for a while."
            )
        }
        return Verdict(
            level: .unknown,
            code: "dust.stale",
            sentence: "No value of \(device(youngest)): \(reason).",
            because: [youngest.channel],
            subject: device(youngest),
            cause: reason
        )
    }

    /// The lamp's level, so that page and lamp agree; without a lamp the worst of the channels.
    private static func level(_ status: StatusReport, _ fresh: [ChannelReport]) -> Level {
        if let lamp = status.lamp.flatMap(Level.init(rawValue:)), lamp != .unknown, lamp != .fault {
            return lamp
        }
        let levels = fresh.compactMap { $0.level.flatMap(Level.init(rawValue:)) }
        return [.poor, .moderate, .good].first { levels.contains($0) } ?? .good
    }

    private static func air(_ level: Level) -> String {
        switch level {
        case .good: "Measuring. The air is good."
        case .moderate: "Measuring. The air is moderate."
        case .poor: "Measuring. The air is poor."
        case .unknown, .fault: "Measuring."
        }
    }

    private static func device(_ channel: ChannelReport) -> String {
        String(channel.channel.split(separator: "/").first ?? "")
    }
}
