/// Quantity that a channel measures: its name within the device, its unit and its resolution.
///
/// Unit and decimals are facts of the channel, so a reading need not repeat them.
package struct Quantity: Hashable, Sendable {
    /// Short and stable: `pm25`.
    ///
    /// It ends up in file names and queries.
    package let name: String
    /// Unit as people write it: `µg/m³`.
    package let unit: String
    /// Digits after the point that the sensor itself reports, 0…9.
    package let decimals: Int

    package init(name: String, unit: String, decimals: Int) {
        self.name = name
        self.unit = unit
        self.decimals = decimals
    }

    /// Fine dust below 2.5 µm.
    package static let pm25 = Quantity(name: "pm25", unit: "µg/m³", decimals: 1)
    /// Dust below 10 µm.
    package static let pm10 = Quantity(name: "pm10", unit: "µg/m³", decimals: 1)
    package static let pm1 = Quantity(name: "pm1", unit: "µg/m³", decimals: 1)
    package static let pm4 = Quantity(name: "pm4", unit: "µg/m³", decimals: 1)
    /// Carbon dioxide, by volume.
    package static let co2 = Quantity(name: "co2", unit: "ppm", decimals: 0)
    package static let temperature = Quantity(name: "temperature", unit: "°C", decimals: 1)
    /// Counts of a radiation detector in the last minute.
    package static let countRate = Quantity(name: "cpm", unit: "cpm", decimals: 0)
    /// North of the equator is positive.
    package static let latitude = Quantity(name: "latitude", unit: "°", decimals: 7)
    /// East of Greenwich is positive.
    package static let longitude = Quantity(name: "longitude", unit: "°", decimals: 7)
    package static let altitude = Quantity(name: "altitude", unit: "m", decimals: 2)
    /// Radius within which a receiver believes to be: 6 m × HDOP, as receivers of a bGeigie count.
    package static let accuracy = Quantity(name: "accuracy", unit: "m", decimals: 2)
}

/// One measured quantity of one device: `balcony/pm25`.
package struct Channel: Hashable, Sendable, CustomStringConvertible {
    /// The device's name in the configuration.
    package let device: String
    package let quantity: Quantity

    package init(device: String, quantity: Quantity) {
        self.device = device
        self.quantity = quantity
    }

    package var description: String { "\(device)/\(quantity.name)" }
}

/// Why there is no value.
///
/// Never −1, 0 or NaN.
package enum NoData: String, Sendable, CaseIterable {
    /// The sensor did not answer in time, twice.
    case replyTimeout
    /// Only frames that failed their check arrived.
    case badFrames
    /// The value is not meaningful yet: all zero after a wake, or a PIR within its first minute.
    case warmingUp
    /// The port is gone.
    case unplugged
    /// The device is present but cannot be used: permission, busy, wrong kind of file.
    case unusable
    /// The same value for too long to be true.
    case stuck
    /// The driver ended before it could read.
    case stopped
    /// A receiver that does not know where it is.
    case noFix
    /// This variant of the part has no such value.
    case notMeasured
    /// An input of the derived value is missing or too old.
    case stale
    /// Where the calculation of the derived value does not hold: in fog, or in thin air.
    case gated
    /// An input that cannot be, or outside the numbers that a graph can compute with.
    case outOfRange
    /// The user wants no values of it for a while.
    case muted
    /// The user switched recording off: the value was shown, and is not stored.
    case notKept
}

/// Doubts about a value that is present.
///
/// Raw values are kept and flagged, never dropped.
package struct Quality: OptionSet, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// At the top of the part's range: fog, a wet or blocked inlet; it counts, as *at least*.
    package static let ceiling = Quality(rawValue: 1 << 0)
    /// PM2.5 above PM10, which cannot be.
    package static let inconsistent = Quality(rawValue: 1 << 1)
    /// Unchanged for suspiciously long.
    package static let unchanging = Quality(rawValue: 1 << 2)
    /// Outside of what the part can give by its profile: the value is kept, and counts nowhere.
    package static let outOfRange = Quality(rawValue: 1 << 3)
    /// Measured in air too humid for the part's principle.
    package static let humid = Quality(rawValue: 1 << 4)
    /// Further from the value before than the air can go in one interval.
    package static let jump = Quality(rawValue: 1 << 5)
    /// Another device in the same air disagrees.
    package static let disagrees = Quality(rawValue: 1 << 6)
    /// Only zeros for a suspiciously long time.
    package static let zero = Quality(rawValue: 1 << 7)
    /// Computed from nearby values, not measured.
    package static let estimated = Quality(rawValue: 1 << 8)

    /// Every flag with its name, lowest bit first; both are stored on the card and never change.
    private static let words: [(flag: Quality, name: String)] = [
        (.ceiling, "ceiling"), (.inconsistent, "inconsistent"), (.unchanging, "unchanging"),
        (.outOfRange, "outOfRange"), (.humid, "humid"), (.jump, "jump"),
        (.disagrees, "disagrees"), (.zero, "zero"), (.estimated, "estimated"),
    ]

    /// The name of every flag, lowest bit first.
    package static let everyName = words.map(\.name)

    /// The flag of a name; nil when there is none.
    package init?(named name: String) {
        guard let word = Self.words.first(where: { $0.name == name }) else { return nil }
        self = word.flag
    }

    package var names: [String] {
        isEmpty ? [] : Self.words.filter { contains($0.flag) }.map(\.name)
    }
}

/// The outcome of one attempt to measure.
package enum Outcome: Hashable, Sendable {
    case value(FixedPoint, Quality)
    case noData(NoData)

    /// A value without a quality flag.
    package static func value(_ value: FixedPoint) -> Outcome { .value(value, []) }

    package var value: FixedPoint? {
        if case .value(let value, _) = self { value } else { nil }
    }

    /// The value for means, levels, alerts and uploads: nil also for what no part can give.
    package var counted: FixedPoint? { isLeftOut ? nil : value }

    /// Whether there is a value that no part can give.
    package var isLeftOut: Bool {
        if case .value(_, let quality) = self { quality.contains(.outOfRange) } else { false }
    }
}

/// One attempt to measure one channel.
package struct Reading: Hashable, Sendable {
    package let channel: Channel
    package let instant: MonotonicInstant
    package let outcome: Outcome

    package init(_ channel: Channel, at instant: MonotonicInstant, _ outcome: Outcome) {
        self.channel = channel
        self.instant = instant
        self.outcome = outcome
    }
}
