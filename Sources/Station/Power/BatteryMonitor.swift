import Configuration
import ControlProtocol
import Core
import Synchronization

/// The machine's battery as the station last read it.
final class BatteryMonitor: Sendable {
    private struct State {
        var configuration = BatteryConfiguration.standard
        var machine = BatteryMachine()
        var supplies: [PowerSupply] = []
        var canPowerOff = false
        var readAt: MonotonicInstant?
    }

    private let state = Mutex(State())

    init() {}

    /// Time between two readings of a machine that should have a battery and has none.
    private static let searchInterval: Duration = .minutes(10)

    func configure(_ configuration: BatteryConfiguration) {
        state.withLock { state in
            if state.configuration != configuration { state.readAt = nil }
            state.configuration = configuration
        }
    }

    /// When the battery has to be read; nil where there is none.
    ///
    /// A machine without a battery, and without a limit for one, is read once, and then with its
    /// samples alone.
    var dueAt: MonotonicInstant? {
        state.withLock { state in
            guard let readAt = state.readAt else { return .boot }
            guard Battery(state.supplies) != nil else {
                let isWanted = state.configuration.powerOffPercent != nil
                return isWanted ? readAt.advanced(by: Self.searchInterval) : nil
            }
            return readAt.advanced(by: BatteryMachine.interval)
        }
    }

    /// Remembers a reading.
    ///
    /// - Returns: Actions to carry out.
    func apply(_ vitals: MachineVitals, at now: MonotonicInstant) -> [BatteryMachine.Action] {
        state.withLock { state in
            (state.supplies, state.readAt) = (vitals.supplies, now)
            state.canPowerOff = vitals.canPowerOff
            return state.machine.apply(
                Battery(vitals.supplies),
                low: state.configuration.lowPercent,
                powerOff: state.configuration.powerOffPercent,
                at: now
            )
        }
    }

    /// Why the machine would not be shut down, though its owner wants it; nil when it would.
    var trouble: String? {
        state.withLock { state in
            guard state.configuration.powerOffPercent != nil else { return nil }
            guard let battery = Battery(state.supplies) else {
                return "the kernel knows no battery and no UPS (/sys/class/power_supply)"
            }
            guard battery.percent != nil else { return "the battery does not say its charge" }
            return state.canPowerOff ? nil : "roost-power-off.path is not enabled"
        }
    }

    /// Whether little is left; nil without a battery.
    var isLow: Bool? { state.withLock { $0.machine.isLow } }

    /// Last state of the battery; nil without one.
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
