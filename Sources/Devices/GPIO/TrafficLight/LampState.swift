import Core

/// States that a traffic light shows.
package enum LampState: String, Sendable, CaseIterable {
    /// Steady green.
    case good
    /// Steady yellow.
    case moderate
    /// Steady red.
    case poor
    /// Nothing is known, or no longer: dark, with a short yellow flash now and then.
    case unknown
    /// Something is broken: dark, with a short red flash now and then.
    case fault

    package init(_ level: AirLevel) {
        switch level {
        case .good: self = .good
        case .moderate: self = .moderate
        case .poor: self = .poor
        }
    }

    package var name: String { rawValue }

    /// The lamp that is lit, steadily or in flashes.
    package var lamp: Lamp {
        switch self {
        case .good: .green
        case .moderate, .unknown: .yellow
        case .poor, .fault: .red
        }
    }

    /// Whether the lamp only flashes, so that a person does not take it for a level.
    var isFlashing: Bool { self == .unknown || self == .fault }
}

/// The one lamp that is lit, or none; never two.
package enum Lamp: String, Sendable, CaseIterable {
    case dark, red, yellow, green

    /// The values of the lines red, yellow, green.
    package var values: [Bool] { [self == .red, self == .yellow, self == .green] }
}

/// One change of the light's state.
struct LampChange: Hashable, Sendable {
    let instant: MonotonicInstant
    let state: LampState
    let previous: LampState
}

/// A traffic light at one moment.
package struct TrafficLightStatus: Hashable, Sendable {
    package let state: LampState
    /// Instant at which the state began.
    package let since: MonotonicInstant
    /// The lamp that is lit now; dark while no driver holds the lines.
    package let lamp: Lamp
    /// False while no driver holds the lines.
    package let isHeld: Bool
    /// How often the state has changed.
    package let changeCount: Int
}
