import Core
import HardwareIO

/// Description of one kind of device: how to recognise it and how to run it.
///
/// Read from JSON by `ProfileReader`; every value is within its range.
package struct Profile: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Behind a serial adapter that udev reports.
        case usbSerial = "usb-serial"
        /// On lines of a GPIO chip; configured, never found by itself.
        case gpio
        /// On a bus of the board, such as I²C or 1-wire.
        case bus
        /// Queried over HTTP at a configured address.
        case http
        /// The computer itself.
        case board
    }

    /// `nova-sds011`: letters, digits and hyphens; the name of the file as well.
    package let id: String
    package let kind: Kind
    /// As the maker writes it: `Nova Fitness SDS011`.
    package let name: String
    /// One or two sentences for people.
    package let description: String
    /// Properties that an adapter must have to be probed for this profile; any match suffices.
    package let matches: [ProfileMatch]
    /// Names under which a driver of the kernel shows the part; any match suffices.
    package var sensorMatches: [SensorMatch] = []
    /// How the part is recognised on I²C; nil of any other part.
    package var i2c: I2CFacts?
    /// The line of `config.txt` that alone can switch the part on: `dtoverlay=w1-gpio`.
    package var overlay: String?
    package let probe: ProbeRules?
    /// The driver in the catalog: `sds011`; nil for a computer.
    package let driver: String?
    /// Settings of the driver; only the driver knows their keys, and it has checked them.
    package let settings: JSONValue
    package let channels: [ChannelProfile]
    package let duty: DutyProfile?
    /// Nodes between raw and derived channels, as the file has them; see the graph's reader.
    package let graph: JSONValue?
    package let rule: RuleProfile?
    package let board: BoardProfile?
    /// File or place that it came from, for messages.
    package let origin: String
    /// Sources of its numbers, for people.
    package var sources: [String] = []

    package init(
        id: String,
        kind: Kind,
        text: (name: String, description: String, origin: String),
        detection: (matches: [ProfileMatch], probe: ProbeRules?, rule: RuleProfile?) = (
            [], nil, nil
        ),
        driver: (name: String, settings: JSONValue, duty: DutyProfile?)? = nil,
        measures: (channels: [ChannelProfile], graph: JSONValue?, board: BoardProfile?) = (
            [], nil, nil
        )
    ) {
        self.id = id
        self.kind = kind
        (name, description, origin) = text
        (matches, probe, rule) = detection
        self.driver = driver?.name
        settings = driver?.settings ?? .object([:])
        duty = driver?.duty
        (channels, graph, board) = measures
    }
}

/// How to find out whether the part is behind an adapter.
package struct ProbeRules: Hashable, Sendable {
    /// Rates that the part speaks, in the order to try them.
    package let bauds: [Int]
    /// Whether it speaks by itself after power-on.
    package let streams: Bool
    /// Whether questions may be sent where nothing at all was heard.
    package let mayAsk: Bool
    /// How long to listen before it counts as silent, 1…30 s.
    package let listen: Duration

    package init(bauds: [Int], streams: Bool, mayAsk: Bool, listen: Duration = .seconds(3)) {
        self.bauds = bauds
        self.streams = streams
        self.mayAsk = mayAsk
        self.listen = listen
    }
}

/// One channel of a device: what it measures and which values make sense.
package struct ChannelProfile: Hashable, Sendable {
    package let quantity: Quantity
    /// Values outside are kept and flagged.
    package let range: ClosedRange<Double>
    /// One sentence for people.
    package let description: String
    /// How a chart shows it: `line`, `steps`, `bar`, `none`.
    package let shown: String
    /// The furthest that a value can be from the one before it; nil for any distance.
    package let step: Double?

    package init(
        _ quantity: Quantity,
        range: ClosedRange<Double>,
        description: String,
        shown: String,
        step: Double? = nil
    ) {
        self.quantity = quantity
        self.range = range
        self.description = description
        self.shown = shown
        self.step = step
    }
}

/// How the part divides its time in `normal`; see `DutyCycle`.
package struct DutyProfile: Hashable, Sendable {
    package let period: Duration
    package let warmUp: Duration
    package let window: Duration
    /// Time between two samples in `live`.
    package let liveInterval: Duration
    /// Time from power to the first valid value, by the data sheet; may be longer than a period.
    package let preheat: Duration

    package init(
        period: Duration,
        warmUp: Duration,
        window: Duration,
        liveInterval: Duration,
        preheat: Duration = .zero
    ) {
        self.preheat = preheat
        self.period = period
        self.warmUp = warmUp
        self.window = window
        self.liveInterval = liveInterval
    }
}

/// Part of the generated udev rule beyond the ids of the matches.
package struct RuleProfile: Hashable, Sendable {
    /// The group that may open the port: `dialout`.
    package let group: String

    package init(group: String = "dialout") { self.group = group }
}

/// The computer that a station runs on.
package struct BoardProfile: Hashable, Sendable {
    /// Beginnings of the device tree's model: `Raspberry Pi 4 Model B`; empty fits every machine.
    package let models: [String]
    /// Label of the chip with the header's lines; nil without a header.
    package let gpioChip: String?
    /// Header pin (1…40) to line name.
    package let header: [Int: String]
    /// The longest time-out of the hardware watchdog; nil without one.
    package let watchdogLimit: Duration?
    /// Serial ports of the board itself, in order of preference.
    package let uarts: [String]

    package init(
        models: [String],
        gpioChip: String?,
        header: [Int: String],
        watchdogLimit: Duration?,
        uarts: [String]
    ) {
        self.models = models
        self.gpioChip = gpioChip
        self.header = header
        self.watchdogLimit = watchdogLimit
        self.uarts = uarts
    }
}

extension Profile {
    /// Lets a role read its defaults, which were checked when the profile was read.
    package func readSettings(_ body: (inout ObjectReader) -> Void) {
        guard var reader = ObjectReader(settings, at: "settings", ProblemList()) else { return }
        body(&reader)
    }

    /// The board's chip, where its header has these lines; offsets always refer to it.
    package func chip(of lines: [LineRequest.Line]) -> String? {
        guard let board, let chip = board.gpioChip, !lines.isEmpty else { return nil }
        let isOnHeader = lines.allSatisfy { line in
            switch line {
            case .name(let name): board.header.values.contains(name)
            case .offset: true
            }
        }
        return isOnHeader ? chip : nil
    }
}

extension Profile {
    /// Whether an adapter should be probed for this profile.
    package func matches(_ device: HotplugDevice) -> Bool { rank(for: device) != nil }

    /// How specific the best match is; nil when none matches.
    package func rank(for device: HotplugDevice) -> Int? {
        if kind == .bus { return sensorMatches.contains { $0.agrees(with: device) } ? 0 : nil }
        guard kind == .usbSerial, device.subsystem == "tty", device.node != nil else { return nil }
        return matches.filter { $0.agrees(with: device) }.map(\.rank).max()
    }
}

extension Profile {
    /// Whether the kernel calls the part by this name, before or after a driver has it.
    package func hasKernelName(_ name: String) -> Bool {
        i2c?.names.contains(name) == true
            || sensorMatches.contains { $0.subsystem != "w1" && Glob.matches(name, $0.name) }
    }
}
