import Configuration
import ControlProtocol
import Core
import Synchronization

/// The machine's battery as the station last read it.
package final class BatteryMonitor: Sendable {
    private struct State {
        var configuration = BatteryConfiguration.standard
        var machine = BatteryMachine()
        var supplies: [PowerSupply] = []
        var readAt: MonotonicInstant?
    }

    private let state = Mutex(State())

    package init() {}

    func configure(_ configuration: BatteryConfiguration) {
        state.withLock { $0.configuration = configuration }
    }

    /// When the battery has to be read; nil where there is none.
    ///
    /// A machine without a battery is read once, and then with its samples alone.
    var dueAt: MonotonicInstant? {
        state.withLock { state in
            guard let readAt = state.readAt else { return .boot }
            guard Battery(state.supplies) != nil else { return nil }
            return readAt.advanced(by: BatteryMachine.interval)
        }
    }

    /// Remembers a reading.
    ///
    /// - Returns: What is to be done.
    func apply(_ supplies: [PowerSupply], at now: MonotonicInstant) -> [BatteryMachine.Action] {
        state.withLock { state in
            (state.supplies, state.readAt) = (supplies, now)
            return state.machine.apply(
                Battery(supplies),
                low: state.configuration.lowPercent,
                powerOff: state.configuration.powerOffPercent,
                at: now
            )
        }
    }

    /// Whether little is left; nil without a battery.
    var isLow: Bool? { state.withLock { $0.machine.isLow } }

    /// What the battery said last; nil without one.
    var report: PowerReport? {
        state.withLock { state in
            Battery(state.supplies).map { battery in
                PowerReport(
                    isOnBattery: battery.isDischarging,
                    percent: battery.percent,
                    isLow: state.machine.isLow ?? false,
                    powerOffPercent: state.configuration.powerOffPercent,
                    supplies: state.supplies.map(PowerReport.Supply.init)
                )
            }
        }
    }
}

extension PowerReport.Supply {
    fileprivate init(_ supply: PowerSupply) {
        self.init(
            name: supply.name,
            kind: supply.kind.rawValue,
            percent: supply.percent,
            flow: supply.kind == .battery ? supply.flow.rawValue : nil,
            isOnline: supply.isOnline
        )
    }
}
