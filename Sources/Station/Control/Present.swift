import Configuration
import ControlProtocol
import Core
import Devices
import HardwareIO
import Profiles
import Store

/// The present, by both clocks.
struct Present {
    let now: MonotonicInstant
    let reading: WallReading?

    /// Wall time of an instant of this boot; nil while the clock was never set.
    func time(of instant: MonotonicInstant) -> String? {
        guard let reading else { return nil }
        let age = instant.duration(to: now).wholeNanoseconds
        return WallTime(nanoseconds: reading.wall.nanoseconds - age).iso8601
    }

    var isSure: Bool? { reading?.trust.isSure }
}

extension ReadingReport {
    init(_ reading: Reading, at present: Present) {
        self.init(reading, at: present.now)
        (time, isSure) = (present.time(of: reading.instant), present.isSure)
    }

    init(_ reading: Reading, at now: MonotonicInstant) {
        var quality: [String] = []
        var absence: String?
        switch reading.outcome {
        case .value(_, let doubts): quality = doubts.names
        case .noData(let reason): absence = reason.rawValue
        }
        if reading.outcome.isLeftOut { absence = NoData.outOfRange.rawValue }
        self.init(
            channel: reading.channel.description,
            instantSeconds: reading.instant.inSeconds,
            ageSeconds: reading.instant.age(at: now),
            outcome: (reading.outcome.counted.flatMap { Measured("\($0)") }, absence),
            unit: reading.channel.quantity.unit,
            quality: quality
        )
        if reading.outcome.isLeftOut { omitted = reading.outcome.value?.doubleValue }
    }
}

extension EventReport {
    init(_ event: Event, at present: Present) {
        self.init(event, at: present.now)
        (time, isSure) = (present.time(of: event.instant), present.isSure)
    }

    init(_ event: Event, at now: MonotonicInstant) {
        self.init(
            instantSeconds: event.instant.inSeconds,
            ageSeconds: event.instant.age(at: now),
            source: event.source,
            kind: event.kind.name,
            severity: event.severity.name,
            // A path may have 4 KiB; fifty events have to fit one line.
            details: Details(event.facts, longest: 200)
        )
    }
}

extension LiveItem {
    init(_ item: LiveSubscription.Item, at present: Present, _ levels: AirLevels) {
        switch item {
        case .reading(let reading):
            var report = ReadingReport(reading, at: present)
            if reading.outcome.counted != nil {
                let (level, mean) = levels.judged(reading.channel)
                (report.level, report.levelMean) = (level?.name, mean?.doubleValue)
            }
            self.init(reading: report)
        case .event(let event): self.init(event: EventReport(event, at: present))
        }
    }
}

extension ModeReport {
    init(_ mode: StationMode, at now: MonotonicInstant) {
        self.init(
            mode: mode.kind.rawValue,
            name: mode.name,
            endsInSeconds: mode.ends.map { max(0, -$0.age(at: now)) }
        )
        if mode.isPrivate { isPrivate = true }
    }
}

extension ChannelReport {
    /// - Parameters:
    ///   - state: The latest of the channel.
    ///   - levels: Those of all devices.
    ///   - ageLimit: How old its value may be.
    ///   - interval: From one sample to the next; nil for what is measured on events.
    init(
        _ state: Recorder.ChannelState,
        at now: MonotonicInstant,
        levels: AirLevels,
        ageLimit: Duration,
        interval: Duration?
    ) {
        let age = state.lastValue?.instant.age(at: now)
        self.init(
            channel: state.channel.description,
            unit: state.channel.quantity.unit,
            latest: state.latest.map { ReadingReport($0, at: now) },
            valueAgeSeconds: age,
            isStale: age.map { $0 > ageLimit.inSeconds } ?? true
        )
        ageLimitSeconds = ageLimit.inSeconds
        intervalSeconds = interval?.inSeconds
        omittedCount = state.omittedCount > 0 ? state.omittedCount : nil
        let span = levels.span(of: state.channel.quantity.name)
        levelMeanSeconds = span.map { Int($0.inSeconds) }
        if !isStale, state.latest?.outcome.counted != nil {
            let (level, mean) = levels.judged(state.channel)
            (self.level, levelMean) = (level?.name, mean?.doubleValue)
        }
    }
}

extension ProgressReport {
    init(_ progress: SensorProgress, at now: MonotonicInstant) {
        func left(_ instant: MonotonicInstant?) -> Double? {
            instant.map { max(0, -$0.age(at: now)) }
        }
        self.init(
            phase: progress.phase.rawValue,
            endsInSeconds: left(progress.endsAt),
            nextInSeconds: left(progress.nextSampleAt)
        )
    }
}

extension MonotonicInstant {
    /// Seconds since boot, to the millisecond.
    var inSeconds: Double {
        MonotonicInstant.boot.duration(to: self).inSeconds.rounded(toDecimals: 3)
    }

    /// Seconds from here to `now`, to the millisecond.
    func age(at now: MonotonicInstant) -> Double {
        duration(to: now).inSeconds.rounded(toDecimals: 3)
    }
}

extension Double {
    /// The nearest number with so many decimals; for what people read, not for computing.
    func rounded(toDecimals decimals: Int) -> Double {
        let factor = (0..<decimals).reduce(1.0) { product, _ in product * 10 }
        return (self * factor).rounded() / factor
    }
}

extension BoardReport {
    /// The computer, from its profile and its device tree.
    init(_ profile: Profile, model: String?) {
        self.init(
            id: profile.id,
            name: profile.name,
            model: model,
            gpioChip: profile.board?.gpioChip,
            watchdogSeconds: profile.board?.watchdogLimit?.inSeconds
        )
    }
}
