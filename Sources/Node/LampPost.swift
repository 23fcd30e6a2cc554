import Alerts
import ControlProtocol
import Devices
import HardwareIO
import Readings
import Supervision
import Synchronization

/// The station's lamp: which sensor it follows, and where it is shown.
///
/// A sample of that sensor becomes a level and a light in the job that brought it.
package final class LampPost: Sendable {
    static let name = "lights"

    private struct State {
        var machine = LevelMachine()
        var device: DeviceConfiguration?
        var isThere = false
        var last: (level: AirLevel?, instant: MonotonicInstant)?
    }

    private let context: StationContext
    private let letters = LetterBox()
    private let light: TrafficLight
    private let memory = Mutex(State())

    init(_ context: StationContext) {
        self.context = context
        let letters = letters
        light = TrafficLight(at: context.clock.now) { letters.write($0.letter) }
        context.recorder.watch { [weak self] in self?.take($0) }
        context.modes.observe(Self.name) { [weak self] _ in self?.renew() }
    }

    /// What the lamp says; nil without lights.
    var state: String? {
        guard memory.withLock({ $0.isThere }) else { return nil }
        return light.status(at: context.clock.now).state.name
    }

    /// Follows the sensor that the configuration names, or the first dust sensor.
    func configure(_ configuration: StationConfiguration) {
        let followed = configuration.devices.first { device in
            if let name = configuration.lights?.follows { return device.name == name }
            return if case .sds011 = device.kind { true } else { false }
        }
        let hasChanged = memory.withLock { state in
            state.isThere = configuration.lights != nil
            defer { state.device = followed }
            guard state.device?.name != followed?.name else { return false }
            (state.machine, state.last) = (LevelMachine(), nil)
            return true
        }
        if hasChanged { light.offer(nil, at: context.clock.now, validFor: .seconds(1)) }
    }

    private func take(_ sample: [Reading]) {
        let followed = memory.withLock {
            state -> (level: AirLevel?, device: DeviceConfiguration)? in
            guard let device = state.device, sample.first?.channel.device == device.name else {
                return nil
            }
            let level = state.machine.take(sample)
            state.last = sample.first.map { (level, $0.instant) }
            return (level, device)
        }
        guard let followed, let first = sample.first else { return }
        if followed.level == nil, sample.contains(where: \.isFault) {
            return light.reportFault(at: first.instant)
        }
        let validity = followed.device.ageLimit(in: context.modes.mode)
        light.offer(followed.level, at: first.instant, validFor: validity)
    }

    /// A level that was good for seconds is good for minutes when the mode becomes slower.
    private func renew() {
        let (last, device) = memory.withLock { ($0.last, $0.device) }
        guard let last, let level = last.level, let device else { return }
        let validity = device.ageLimit(in: context.modes.mode)
        light.offer(level, at: last.instant, validFor: validity)
    }

    /// The child that holds the lamp.
    func spec(_ configuration: LightsConfiguration) -> ChildSpec {
        let (context, light, letters) = (context, light, letters)
        context.devices.add(
            name: Self.name,
            type: "traffic-light",
            location: configuration.location
        )
        if case .lines = configuration.output,
            let hint = configuration.settings.request(consumer: "roost").spiHint
        {
            // Said before the first try: a busy line alone does not tell why.
            context.recorder.note(
                Event(
                    at: context.clock.now,
                    source: Self.name,
                    kind: "pins shared",
                    severity: .notice,
                    ["hint": hint]
                )
            )
        }
        return ChildSpec(id: Self.name, heartbeatLimit: .minutes(2)) { heartbeat in
            let subject = Attachment.Subject(name: Self.name, path: nil, channels: [])
            return Attachment(subject, station: context, heartbeat: heartbeat) { heartbeat in
                let settings = configuration.settings
                let first = FirstLines(try await Self.open(configuration, letters, context))
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
                        guard let lines = first.take() else {
                            throw GPIOError.disconnected(chip: "lights")
                        }
                        return lines
                    }
                )
                return Attachment.Attached(driver: driver) {
                    light.status(at: context.clock.now).account
                }
            }
        }
    }

    private static func open(
        _ configuration: LightsConfiguration,
        _ letters: LetterBox,
        _ context: StationContext
    ) async throws -> any GPIOLines {
        guard case .letters(let path) = configuration.output else {
            return try await context.platform.requestLines(
                configuration.settings.request(consumer: "roost lights")
            )
        }
        let output = try await context.platform.openLetters(path)
        letters.use(output)
        output.write(LampState.unknown.letter)
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
    /// Whether the absence of a value means that something is broken, not merely away.
    fileprivate var isFault: Bool {
        switch outcome {
        case .noData(.unusable), .noData(.stuck): true
        case .noData, .value: false
        }
    }
}

extension TrafficLightStatus {
    fileprivate var account: DeviceBoard.Account {
        DeviceBoard.Account(
            state: state.name,
            facts: [.init("lamp", lamp.rawValue), .init("changes", "\(changeCount)")]
        )
    }
}

extension LampState {
    /// One letter per state, for files and terminals in place of a lamp.
    fileprivate var letter: Character {
        switch self {
        case .good: "G"
        case .moderate: "Y"
        case .poor: "R"
        case .unknown: "U"
        case .fault: "F"
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

    func write(_ letter: Character) { output.withLock { $0 }?.write(letter) }
}

/// Stands for three lines where a lamp is a file: the letters are written by the light itself.
struct LetterLines: GPIOLines {
    let letters: LetterBox

    func values() throws(GPIOError) -> [Bool] { [false, false, false] }
    func set(_ values: [Bool]) throws(GPIOError) {}

    func edges(
        until deadline: MonotonicInstant?,
        tolerance: Duration
    ) async throws -> [EdgeEvent]? { nil }

    func release() {
        letters.write("-")
        letters.use(nil)
    }
}
