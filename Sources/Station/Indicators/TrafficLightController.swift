import Alerts
import Configuration
import ControlProtocol
import Core
import Devices
import HardwareIO
import Profiles
import Runtime
import Synchronization

/// The station's lamp: which sensor it follows, and where it is shown.
///
/// A sample of that sensor becomes a level and a light in the job that brought it.
final class TrafficLightController: Sendable {
    static let name = "lights"

    private struct State {
        var followed: Followed?
        /// The name in the configuration; nil follows the first dust sensor.
        var wanted: String?
        var isThere = false
        var last: (level: AirLevel?, instant: MonotonicInstant)?
    }

    /// Effect of a sample on the lamp.
    private struct Shown {
        let level: AirLevel?
        let validity: Duration
        let outlastsMiss: Bool
    }

    /// The configuration needed to judge a sample.
    private struct Followed {
        let device: String
        let ageLimit: (rare: Duration, continuous: Duration)
        let outlastsMiss: (rare: Bool, continuous: Bool)

        init(_ device: DeviceConfiguration) {
            self.device = device.name
            ageLimit = (
                device.ageLimit(isContinuous: false), device.ageLimit(isContinuous: true)
            )
            outlastsMiss = (
                device.outlastsMiss(isContinuous: false), device.outlastsMiss(isContinuous: true)
            )
        }

        func outlastsMiss(in modes: ModeState) -> Bool {
            modes.isContinuous ? outlastsMiss.continuous : outlastsMiss.rare
        }

        func validity(in modes: ModeState) -> Duration {
            modes.isContinuous ? ageLimit.continuous : ageLimit.rare
        }
    }

    private let context: StationContext
    private let letters = LetterBox()
    let light: TrafficLight
    private let memory = Mutex(State())

    init(_ context: StationContext) {
        self.context = context
        let letters = letters
        light = TrafficLight(at: context.clock.now) { letters.write($0.letter) }
        context.recorder.watch { [weak self] in self?.apply($0) }
        context.modes.observe(Self.name) { [weak self] _ in self?.renew() }
    }

    /// The lamp's state; nil without lights.
    var state: String? {
        guard memory.withLock({ $0.isThere }) else { return nil }
        return light.status(at: context.clock.now).state.name
    }

    /// The reading and rule that decide the lamp's colour; nil while no device is followed.
    ///
    /// Known without lights, too.
    var cause: LampReport? {
        guard let device = memory.withLock({ $0.followed?.device }) else { return nil }
        let (rule, level) = (context.levels.rule, context.levels.level(of: device))
        let quantities = Set(rule.scales.map(\.quantity))
        let channels = context.recorder.channels.filter {
            $0.channel.device == device && quantities.contains($0.channel.quantity.name)
        }
        let reasons = channels.compactMap(\.latest).compactMap { reading -> NoData? in
            if case .noData(let reason) = reading.outcome { return reason }
            return reading.outcome.isLeftOut ? .outOfRange : nil
        }
        var report = LampReport(
            rule: rule.name,
            device: device,
            level: level?.name,
            because: context.levels.decisive(of: device).map { "\(device)/\($0)" },
            noData: level == nil ? reasons.first?.rawValue : nil
        )
        report.meanSeconds = rule.judgesMean ? Int(ShortMean.span.inSeconds) : nil
        let omitted = channels.reduce(0) { $0 + $1.omittedCount }
        report.omittedCount = omitted > 0 ? omitted : nil
        return report
    }

    /// Follows the sensor that the configuration names, or the first dust sensor.
    ///
    /// An unknown name may belong to a sensor that is detected later.
    func configure(_ configuration: StationConfiguration) {
        let followed = configuration.devices.first { device in
            if let name = configuration.lights?.follows { return device.name == name }
            return device.measuresDust
        }
        let hasChanged = memory.withLock { state in
            state.isThere = configuration.lights != nil
            state.wanted = configuration.lights?.follows
            defer { state.followed = followed.map(Followed.init) }
            guard state.followed?.device != followed?.name else { return false }
            state.last = nil
            return true
        }
        if hasChanged {
            light.offer(nil, at: context.clock.now, validFor: .seconds(1))
            // A sensor with another name goes on with the level that it has.
            guard let followed = memory.withLock({ $0.followed }),
                let last = context.levels.last(of: followed.device), last.level != nil
            else { return }
            memory.withLock { $0.last = (last.level, last.at) }
            let validity = followed.validity(in: context.modes)
            return light.offer(last.level, at: last.at, validFor: validity)
        }
        // Other limits are in use at once, for the value that is there.
        let next = memory.withLock { state -> (level: AirLevel?, at: MonotonicInstant)? in
            guard let last = state.last, let device = state.followed?.device else { return nil }
            let level = context.levels.level(of: device)
            guard level != last.level else { return nil }
            state.last = (level, last.instant)
            return (level, last.instant)
        }
        guard let next, let followed = memory.withLock({ $0.followed }) else { return }
        light.offer(next.level, at: next.at, validFor: followed.validity(in: context.modes))
    }

    private func apply(_ sample: [Reading]) {
        guard let first = sample.first else { return }
        let instant = first.instant
        let shown = memory.withLock { state -> Shown? in
            guard let followed = state.followed, first.channel.device == followed.device else {
                return nil
            }
            let level = context.levels.level(of: followed.device)
            state.last = (level, instant)
            return Shown(
                level: level,
                validity: followed.validity(in: context.modes),
                outlastsMiss: followed.outlastsMiss(in: context.modes)
            )
        }
        guard let shown else { return }
        // In a stream one missed frame is no news: a level grows stale by itself.
        if shown.level == nil, shown.outlastsMiss,
            sample.allSatisfy({ $0.isMissedFrame || $0.channel.quantity.isDerived })
        {
            return
        }
        if shown.level == nil, sample.contains(where: \.isFault) {
            return light.reportFault(at: instant)
        }
        light.offer(shown.level, at: instant, validFor: shown.validity)
    }

    /// A level that was good for seconds is good for minutes when the mode becomes slower.
    private func renew() {
        let (last, followed) = memory.withLock { ($0.last, $0.followed) }
        guard let last, let level = last.level, let followed else { return }
        light.offer(level, at: last.instant, validFor: followed.validity(in: context.modes))
    }

    /// Facts: the device that the lamp follows or waits for, and whether it is there.
    private var following: [Fact] {
        memory.withLock { state in
            let device = state.followed?.device ?? state.wanted
            return (device.map { [Fact("follows", $0)] } ?? [])
                + (state.followed == nil ? [Fact("isFollowing", false)] : [])
        }
    }

    /// The child that holds the lamp.
    func spec(_ configuration: LightsConfiguration) -> ChildSpec {
        let (context, light, letters) = (context, light, letters)
        let following: @Sendable () -> [Fact] = { [weak self] in self?.following ?? [] }
        context.devices.add(
            name: Self.name,
            type: "traffic-light",
            location: configuration.location
        )
        if case .lines = configuration.output {
            context.reportPins(
                of: configuration.settings.request(consumer: "roost"),
                for: Self.name
            )
        }
        return ChildSpec(id: Self.name, heartbeatLimit: .minutes(2)) { heartbeat in
            let subject = DeviceSession.Subject(name: Self.name, path: nil, channels: [])
            return DeviceSession(subject, station: context, heartbeat: heartbeat) { heartbeat in
                let settings = configuration.settings
                let state = light.status(at: context.clock.now).state
                let first = FirstLines(
                    try await Self.open(configuration, letters, showing: state, context)
                )
                let driver = TrafficLightDriver(
                    name: Self.name,
                    light: light,
                    settings: settings,
                    environment: DriverEnvironment(
                        clock: context.clock,
                        sink: context.recorder,
                        heartbeat: heartbeat
                    ),
                    open: { _ in
                        guard let lines = first.release() else {
                            throw GPIOError.disconnected(chip: "lights")
                        }
                        return lines
                    }
                )
                return DeviceSession.Attached(driver: driver) {
                    light.status(at: context.clock.now).account(following())
                }
            }
        }
    }

    private static func open(
        _ configuration: LightsConfiguration,
        _ letters: LetterBox,
        showing state: LampState,
        _ context: StationContext
    ) async throws -> any GPIOLines {
        guard case .letters(let path) = configuration.output else {
            let request = configuration.settings.request(consumer: "roost lights")
            return context.taps.tapping(
                try await context.platform.requestLines(request),
                request,
                of: Self.name
            )
        }
        let output = try await context.platform.openLetters(path)
        letters.use(output)
        output.write(state.letter)
        return LetterLines(letters: letters)
    }
}

extension LightsConfiguration {
    fileprivate var settings: TrafficLightSettings {
        var settings = TrafficLightSettings()
        if case .lines(let chip, let lines, let isActiveLow) = output {
            settings.chipLabel = chip
            (settings.red, settings.yellow, settings.green) = (lines[0], lines[1], lines[2])
            settings.isActiveLow = isActiveLow
        }
        return settings
    }

    fileprivate var location: String {
        switch output {
        case .letters(let path): path
        case .lines(let chip, let lines, _):
            lines.map(\.description).joined(separator: ", ") + (chip.map { " of \($0)" } ?? "")
        }
    }
}

extension Reading {
    /// Whether the only known fact is that this sample is missing, or cannot be.
    fileprivate var isMissedFrame: Bool {
        switch outcome {
        case .noData(.replyTimeout), .noData(.badFrames): true
        case .noData: false
        case .value: outcome.isLeftOut
        }
    }

    /// Whether the absence of a value means that something is broken, not merely away.
    fileprivate var isFault: Bool {
        switch outcome {
        case .noData(.unusable), .noData(.stuck): true
        case .noData, .value: false
        }
    }
}

extension TrafficLightStatus {
    fileprivate func account(_ following: [Fact]) -> DeviceList.Account {
        DeviceList.Account(
            state: state.name,
            facts: [Fact("lamp", lamp.rawValue), Fact("changeCount", changeCount)] + following
        )
    }
}

extension LampState {
    /// One letter per state, for files and terminals in place of a lamp.
    fileprivate var letter: UInt8 {
        switch self {
        case .good: UInt8(ascii: "G")
        case .moderate: UInt8(ascii: "Y")
        case .poor: UInt8(ascii: "R")
        case .unknown: UInt8(ascii: "U")
        case .fault: UInt8(ascii: "F")
        }
    }
}

/// Where lamp letters go at the moment, if anywhere.
final class LetterBox: Sendable {
    private let output = Mutex<(any LetterOutput)?>(nil)

    func use(_ next: (any LetterOutput)?) {
        let old = output.withLock { output in
            defer { output = next }
            return output
        }
        old?.close()
    }

    func write(_ letter: UInt8) { output.withLock { $0 }?.write(letter) }
}

/// Replaces three lines where a lamp is a file: the letters are written by the light itself.
struct LetterLines: GPIOLines {
    let letters: LetterBox

    func values() throws(GPIOError) -> [Bool] { [false, false, false] }
    func set(_ values: [Bool]) throws(GPIOError) {}

    func edges(
        until deadline: MonotonicInstant?,
        tolerance: Duration
    ) async throws -> [EdgeEvent]? { nil }

    func release() {
        letters.write(UInt8(ascii: "-"))
        letters.use(nil)
    }
}
