import Configuration
import ControlProtocol
import Core
import HardwareIO
import Profiles
import Synchronization

/// Detection as the rest of the node sees it: calls report events and never wait.
///
/// Outlives the child that carries out what the machine decides. Bound: the list of pending actions
/// has a few entries for each adapter and device.
final class DetectionClient: Sendable {
    private struct State {
        var ledger = HotplugDifference()
        var machine: DetectionMachine
        var waiting: [DetectionMachine.Action] = []
    }

    private let clock: any NodeClock
    private let state: Mutex<State>
    /// Wakes the task that carries out the actions.
    let attention = Signal()

    init(_ catalog: ProfileCatalog, clock: any NodeClock) {
        self.clock = clock
        state = Mutex(State(machine: DetectionMachine(catalog)))
    }

    /// Profiles that detection uses now.
    var catalog: ProfileCatalog { state.withLock { $0.machine.catalog } }

    /// Handles an event of the hotplug monitor.
    func apply(_ events: [HotplugEvent]) {
        decide { state, now in
            state.machine.apply(events.flatMap { state.ledger.apply($0) }, at: now)
        }
    }

    /// Applies the present configuration, and the profiles if they changed.
    func configure(_ configuration: StationConfiguration, catalog: ProfileCatalog? = nil) {
        let ports = Set(configuration.claimedPorts + configuration.leaves)
        let names = Set(configuration.devices.map(\.name))
        decide { state, now in
            state.machine.configure(
                ports: ports,
                names: names,
                isOn: configuration.detects,
                catalog: catalog,
                at: now
            ) + state.machine.lookAgain(at: state.ledger.devices, at: now)
        }
    }

    /// The remembered devices from the store, empty without a store; nil while they cannot be read.
    func begin(with settings: [String: String]?) {
        decide { $0.machine.begin(with: settings, at: $1) }
    }

    func probeEnded(port: Int, _ end: DetectionMachine.ProbeEnd) {
        decide { $0.machine.probeEnded(port: port, end, at: $1) }
    }

    func probesLost() { decide { $0.machine.probesLost(at: $1) } }

    func deviceEnded(port: Int) { decide { $0.machine.deviceEnded(port: port, at: $1) } }

    /// Decides what is due, for the task that carries it out next: no task is woken.
    func timePassed() {
        let now = clock.now
        state.withLock { $0.waiting += $0.machine.timePassed(at: now) }
    }

    /// Carries out a person's request.
    func act(_ act: DetectionMachine.Act, on target: String) throws(DetectionRefusal) {
        let now = clock.now
        let result = state.withLock { state -> Result<Void, DetectionRefusal> in
            do throws(DetectionRefusal) {
                state.waiting += try state.machine.act(act, on: target, at: now)
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        attention.raise()
        try result.get()
    }

    /// The pending actions; each is returned once.
    func takeActions() -> [DetectionMachine.Action] {
        state.withLock { state in
            defer { state.waiting.removeAll() }
            return state.waiting
        }
    }

    var nextDeadline: MonotonicInstant? { state.withLock { $0.machine.nextDeadline } }

    /// Whether this stay in a socket goes on.
    func isThere(port: Int) -> Bool {
        state.withLock { state in state.machine.ports.values.contains { $0.id == port } }
    }

    /// Names of found devices, plugged in or not, that they would not get on another card.
    var ownNames: [String] {
        state.withLock { $0.machine.registry.ownNames($0.machine.catalog.profiles) }
    }

    /// Devices that are away, and adapters that cannot be looked at.
    var missing: [StationFacts.Missing] { state.withLock { $0.machine.missing } }

    /// The adapters that are plugged in, those of the configuration too, in order of devpath.
    var adapters: [HotplugDevice] {
        state.withLock { $0.machine.ports.values.map(\.device) }.sorted { $0.devpath < $1.devpath }
    }

    var list: [FoundReport] { state.withLock { $0.machine.list(at: clock.now) } }

    /// Adapters without a configured port and without an adopted device.
    func unclaimed() -> [UnclaimedReport] {
        let ports = state.withLock { $0.machine.ports.values }
            .filter { $0.standing != .claimed && $0.adopted == nil }
        return ports.sorted { $0.device.devpath < $1.device.devpath }.map { port in
            UnclaimedReport(
                node: port.node,
                vendorID: port.device.properties["ID_VENDOR_ID"],
                productID: port.device.properties["ID_MODEL_ID"],
                serial: port.device.properties["ID_SERIAL_SHORT"],
                path: port.device.devpath
            )
        }
    }

    private func decide(
        _ body: (inout State, MonotonicInstant) -> [DetectionMachine.Action]
    ) {
        let now = clock.now
        let hasNews = state.withLock { state in
            state.waiting += body(&state, now)
            return !state.waiting.isEmpty || state.machine.nextDeadline != nil
        }
        if hasNews { attention.raise() }
    }
}

extension StationConfiguration {
    /// Serial ports of the configured devices.
    var claimedPorts: [String] {
        devices.compactMap { device in
            if case .sensor(let sensor) = device.kind { sensor.port } else { nil }
        }
    }
}
