import Core
import Devices
import Synchronization

/// Devices in the same air, and whether their values agree: dust, and temperature.
///
/// Which of two dust sensors is wrong cannot be known, so the values of both are marked. Of two
/// thermometers the warmer one is: it warms itself, or something near it does. Bound:
/// `StationConfiguration.sameAirLimit` devices, 28 pairs of each quantity.
package final class CrossCheck: Sendable {
    /// What is compared, and how.
    private enum Compared: CaseIterable {
        case dust, temperature

        /// The compared quantity of a name; nil for all others.
        init?(_ name: String) {
            guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
            self = found
        }

        /// The same, in the unit that the limits are in; nil for all others.
        init?(_ quantity: Quantity) {
            self.init(quantity.name)
            guard quantity.unit == unit else { return nil }
        }

        private var unit: String {
            switch self {
            case .dust: Quantity.pm25.unit
            case .temperature: "°C"
            }
        }

        var name: String {
            switch self {
            case .dust: Quantity.pm25.name
            case .temperature: "temperature"
            }
        }

        var limits: DisagreementDetector.Limits {
            switch self {
            case .dust: .dust
            case .temperature: .temperature
            }
        }
    }

    private struct Pair: Hashable {
        let compared: Compared
        let first: String
        let second: String
    }

    private struct State {
        var names: [String] = []
        var detectors: [Pair: DisagreementDetector] = [:]
        /// The device that a disagreement was noted of, so that its end is noted of the same.
        var sources: [Pair: String] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// Names of the devices that are compared.
    var names: [String] { state.withLock { $0.names } }

    /// Whether values of a quantity are compared at all.
    static func compares(_ quantity: String) -> Bool { Compared(quantity) != nil }

    /// Applies the list of sensors in the same air; pairs that stay keep their state.
    func configure(_ names: [String]) {
        state.withLock { state in
            let old = state.detectors
            (state.names, state.detectors) = (names, [:])
            state.sources = state.sources.filter { pair, _ in
                names.contains(pair.first) && names.contains(pair.second)
            }
            for (index, first) in names.enumerated() {
                for second in names.dropFirst(index + 1) {
                    for compared in Compared.allCases {
                        let pair = Pair(compared: compared, first: first, second: second)
                        state.detectors[pair] =
                            old[pair] ?? DisagreementDetector(compared.limits)
                    }
                }
            }
        }
    }

    /// Compares a sample of one device with the others.
    ///
    /// - Returns: The readings, marked during a disagreement, and the changes.
    func compare(_ readings: [Reading]) -> (readings: [Reading], events: [Event]) {
        state.withLock { state in
            guard let device = readings.first?.channel.device, state.names.contains(device) else {
                return (readings, [])
            }
            var (compared, events) = (readings, [Event]())
            for (index, reading) in readings.enumerated() {
                guard let kind = Compared(reading.channel.quantity),
                    case .value(let value, let quality) = reading.outcome,
                    !reading.outcome.isLeftOut,
                    Self.isDoubted(reading, value.doubleValue, kind, &state, &events)
                else { continue }
                compared[index] = Reading(
                    reading.channel,
                    at: reading.instant,
                    .value(value, quality.union(.disagrees))
                )
            }
            return (compared, events)
        }
    }

    /// Whether a value is one of a disagreement; notes those that begin and end with it.
    private static func isDoubted(
        _ reading: Reading,
        _ value: Double,
        _ compared: Compared,
        _ state: inout State,
        _ events: inout [Event]
    ) -> Bool {
        let device = reading.channel.device
        let pairs = state.detectors.keys.filter {
            $0.compared == compared && ($0.first == device || $0.second == device)
        }
        var isDoubted = false
        for pair in pairs.sorted(by: { ($0.first, $0.second) < ($1.first, $1.second) }) {
            let side: DisagreementDetector.Side = pair.first == device ? .first : .second
            let change = state.detectors[pair]?.append(value, from: side, at: reading.instant)
            guard let detector = state.detectors[pair] else { continue }
            // Once it is named, noise does not move the doubt to the other one.
            let named = detector.isDisagreeing ? state.sources[pair] : nil
            let isMeant =
                compared == .dust || named.map { $0 == device } ?? (detector.larger == side)
            if let change {
                let other = side == .first ? pair.second : pair.first
                let source = state.sources[pair] ?? (isMeant ? device : other)
                state.sources[pair] = change == .begun ? source : nil
                let with = source == pair.first ? pair.second : pair.first
                events.append(event(change, source, with, compared, reading.instant))
            }
            isDoubted = isDoubted || detector.isDisagreeing && isMeant
        }
        return isDoubted
    }

    private static func event(
        _ change: DisagreementDetector.Change,
        _ device: String,
        _ other: String,
        _ compared: Compared,
        _ instant: MonotonicInstant
    ) -> Event {
        let hasBegun = change == .begun
        return Event(
            at: instant,
            source: device,
            kind: .plain(hasBegun ? .sensorsDisagree : .sensorsAgree),
            severity: hasBegun ? .warning : .notice,
            ["of": compared.name, "with": other]
        )
    }
}
