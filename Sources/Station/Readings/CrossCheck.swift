import Core
import Devices
import Synchronization

/// Devices in the same air, and whether their dust values agree.
///
/// Which of two is wrong cannot be known, so the values of both are marked. Bound:
/// `StationConfiguration.sameAirLimit` devices, 28 pairs.
package final class CrossCheck: Sendable {
    private struct Pair: Hashable {
        let first: String
        let second: String
    }

    private struct State {
        var names: [String] = []
        var detectors: [Pair: DisagreementDetector] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// Names of the devices that are compared.
    var names: [String] { state.withLock { $0.names } }

    /// Applies the list of sensors in the same air; pairs that stay keep their state.
    func configure(_ names: [String]) {
        state.withLock { state in
            let old = state.detectors
            (state.names, state.detectors) = (names, [:])
            for (index, first) in names.enumerated() {
                for second in names.dropFirst(index + 1) {
                    let pair = Pair(first: first, second: second)
                    state.detectors[pair] = old[pair] ?? DisagreementDetector(.dust)
                }
            }
        }
    }

    /// Compares a sample of one device with the others.
    ///
    /// - Returns: The readings, marked during a disagreement, and the changes.
    func compare(_ readings: [Reading]) -> (readings: [Reading], events: [Event]) {
        state.withLock { state in
            guard let index = readings.firstIndex(where: Self.isDust),
                case .value(let value, let quality) = readings[index].outcome,
                !readings[index].outcome.isLeftOut,
                state.names.contains(readings[index].channel.device)
            else { return (readings, []) }
            let reading = readings[index]
            let device = reading.channel.device
            var (events, isDoubted) = ([Event](), false)
            for pair in state.detectors.keys.sorted(by: {
                ($0.first, $0.second) < ($1.first, $1.second)
            })
            where pair.first == device || pair.second == device {
                let change = state.detectors[pair]?.append(
                    value.doubleValue,
                    from: pair.first == device ? .first : .second,
                    at: reading.instant
                )
                let other = pair.first == device ? pair.second : pair.first
                if let change { events.append(Self.event(change, device, other, reading.instant)) }
                isDoubted = isDoubted || state.detectors[pair]?.isDisagreeing == true
            }
            guard isDoubted else { return (readings, events) }
            var doubted = readings
            doubted[index] = Reading(
                reading.channel,
                at: reading.instant,
                .value(value, quality.union(.disagrees))
            )
            return (doubted, events)
        }
    }

    private static func isDust(_ reading: Reading) -> Bool {
        reading.channel.quantity.name == Quantity.pm25.name
    }

    private static func event(
        _ change: DisagreementDetector.Change,
        _ device: String,
        _ other: String,
        _ instant: MonotonicInstant
    ) -> Event {
        let hasBegun = change == .begun
        return Event(
            at: instant,
            source: device,
            kind: .plain(hasBegun ? .sensorsDisagree : .sensorsAgree),
            severity: hasBegun ? .warning : .notice,
            ["of": Quantity.pm25.name, "with": other]
        )
    }
}
