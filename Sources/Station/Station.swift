import Configuration
import ControlProtocol
import Core
import HardwareIO
import Profiles
import Runtime
import Synchronization

/// One station: its configuration turned into a supervision tree on a platform.
///
///     station ─┬─ health     pets upward while every critical child is on time
///              ├─ mode       ends modes that have an end
///              ├─ store      journal and history, if configured
///              ├─ alerts     what is worth an alert
///              ├─ lights     lamp, if there is one
///              ├─ devices ─┬─ balcony …   one attachment per configured device
///              │           └─ sds011 …    and one per device that was found
///              ├─ hotplug    adapters that come and go
///              ├─ detection  finds out what is behind them
///              └─ control    the control socket
///
/// It stops from the bottom up: sensors are asleep before the lamp goes out, and the HealthMonitor
/// pets until all of them are gone.
package final class Station: Sendable {
    let state: StationState

    /// - Parameters:
    ///   - file: The configuration as its file has it.
    ///   - stored: The owner's settings, as they were kept.
    package init(
        _ file: StationConfiguration,
        stored: OverlayFile.Stored = OverlayFile.Stored(),
        in dependencies: StationDependencies
    ) {
        state = StationState(file, stored: stored, in: dependencies)
    }

    package var context: StationContext { state.context }

    private var dependencies: StationDependencies { state.dependencies }

    /// Runs until `requestStop()`.
    ///
    /// - Throws: `SupervisorError` when restarting did not help; the process ends then.
    package func run() async throws {
        let configuration = state.configuration
        await openWatchdog(configuration.watchdog)
        for spec in fixedChildren(configuration) { state.root.add(spec) }
        state.configureParts()
        try await state.root.run()
        // Only an orderly stop disarms: after a crash the board is reset.
        state.values.withLock { $0.watchdog }?.disarm()
    }

    /// Stops everything in order; `run()` ends when it is done.
    package func requestStop() {
        state.values.withLock { $0.isStopping = true }
        dependencies.platform.notify(.stopping)
        state.surveys.apply(StationMode(kind: .normal))
        state.root.requestStop()
    }

    /// The supervision tree now.
    package var tree: ChildSnapshot { state.root.tree }

    /// How the station is now.
    package var status: StatusReport { ControlAnswers(station: state).status() }

    /// Everything that is wrong with the station now, the oldest first.
    package var faults: [Fault] { state.faults }

    /// Detection results of every adapter, and devices that are away.
    package var found: [FoundReport] { state.detection.list }

    /// Applies a new configuration file: only what differs is stopped and started.
    ///
    /// Name, socket, store and watchdog change at a restart only. The owner's settings stay above
    /// it.
    package func reload(_ next: StationConfiguration, catalog: ProfileCatalog? = nil) {
        guard !state.values.withLock({ $0.isStopping }) else { return }
        context.platform.notify(.reloading)
        let leftOut = state.values.withLock { values in
            defer {
                values.file = next
                if let catalog { values.catalog = catalog }
            }
            return values.catalog.problems
        }
        if !ReloadDifference.needsRestart(from: state.startFile, to: next) {
            context.faults.clear(.restartNeeded)
        } else {
            let what = "another name, socket, store or watchdog"
            context.record(.restartNeeded, .warning, ["why": what])
            let reason = what + " is configured, and not in use yet"
            context.faults.raise(.restartNeeded, reason, isTold: true)
        }
        context.faults.clear(.configurationRejected)
        if let catalog { context.faults.set(leftOutProfiles: catalog.problems, before: leftOut) }
        DeviceBranch(station: state).follow(state.settings.overlay, catalog: catalog)
        context.modes.configure(StationMode(kind: next.mode))
        context.record(.configurationReloaded, .notice, ["devices": "\(next.devices.count)"])
        context.platform.notify(.ready)
    }

    // MARK: Children

    func fixedChildren(_ configuration: StationConfiguration) -> [ChildSpec] {
        let (context, store, detection) = (context, state.store, state.detection)
        let devices = DeviceBranch(station: state)
        var specs = [
            healthMonitor(configuration),
            // Watched: a mode that does not end wears a laser out.
            ChildSpec(id: "mode", heartbeatLimit: .minutes(1)) { heartbeat in
                ModeTask(
                    modes: context.modes,
                    claims: context.claims,
                    clock: context.clock,
                    sink: context.recorder,
                    heartbeat: heartbeat
                )
            },
        ]
        if let configuration = configuration.store {
            specs.append(
                // It may have hours of records to write; what a stop leaves unwritten is in the
                // mirror.
                ChildSpec(id: "store", shutdownGrace: .seconds(9)) { _ in
                    StoreWriter(configuration, context: context, client: store)
                }
            )
        }
        let (alerts, past) = (state.alerts, configuration.store == nil ? nil : store)
        specs.append(
            // Waits for samples: there is no progress to watch.
            ChildSpec(id: "alerts") { _ in AlertTask(alerts, store: past, context: context) }
        )
        if let lights = configuration.lights { specs.append(state.lamp.spec(lights)) }
        specs.append(
            ChildSpec(id: "devices", shutdownGrace: .seconds(9)) { _ in devices.supervisor() }
        )
        specs.append(
            ChildSpec(id: "hotplug") { _ in AdapterWatch(client: detection, context: context) }
        )
        specs.append(
            ChildSpec(id: "detection", heartbeatLimit: .minutes(1)) { heartbeat in
                DetectionTask(devices, heartbeat: heartbeat)
            }
        )
        let path = configuration.socket
        let questions = ControlAnswers(station: state).table(dependencies.rights)
        specs.append(
            // Waits for requests of people: there is no progress to watch.
            ChildSpec(id: StationState.lastChild, minimumRunTime: .seconds(1)) { _ in
                ControlServer(path: path, questions: questions, platform: context.platform)
            }
        )
        return specs
    }

    private func healthMonitor(_ configuration: StationConfiguration) -> ChildSpec {
        let watchdogs = [
            dependencies.serviceWatchdog, state.values.withLock { $0.watchdog }?.timeout,
        ]
        // From a third to five sixths of the shortest: of 15 s, 5 to 12.5.
        let shortest = watchdogs.compactMap(\.self).min() ?? .hours(1)
        let window = (shortest / 3)...(shortest * 5 / 6)
        let (supervision, dependencies) = (state.supervision, dependencies)
        let pet: @Sendable () -> Void = { [weak self] in self?.pet() }
        let store = state.store
        return ChildSpec(id: "health") { [state] _ in
            let healthMonitor = HealthMonitor(
                supervision.heartbeats,
                petWindow: window,
                clock: supervision.clock,
                callbacks: HealthMonitor.Callbacks(
                    pet: pet,
                    observer: supervision.observer,
                    onStillLate: { dependencies.endProcess("\($0) makes no progress") },
                    onStandstill: { store.reportMissing(.suspended, $0) },
                    onHung: { store.reportHung($0, $1) }
                )
            )
            // A machine can be suspended before the first look, and no look finds that out.
            if !state.values.withLock({ $0.hasWatched }) { store.reportLateStart() }
            state.values.withLock { $0.hasWatched = true }
            return healthMonitor
        }
    }

    // MARK: Watchdog

    private func openWatchdog(_ configuration: WatchdogConfiguration?) async {
        guard let configuration else { return }
        do {
            let watchdog = try await dependencies.platform.openWatchdog(
                path: configuration.path,
                timeout: configuration.timeout
            )
            state.values.withLock { $0.watchdog = watchdog }
        } catch {
            context.record(.watchdogUnusable, .warning, ["reason": "\(error)"])
            context.faults.raise(.watchdogUnusable, "\(error)", isTold: true)
        }
    }

    private func pet() {
        dependencies.platform.notify(.alive)
        state.budget.record()
        // A silent sensor sends no sample that would set the lamp.
        context.leds.refresh()
        guard let watchdog = state.values.withLock({ $0.watchdog }) else { return }
        do {
            try watchdog.pet()
        } catch {
            context.record(.watchdogNotPetted, .error, ["reason": "\(error)"])
        }
    }
}
