import Configuration
import ControlProtocol
import Core
import Devices
import HardwareIO
import Logging
import Profiles
import Runtime
import Store
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
    /// Services that a station needs besides its configuration.
    package struct Dependencies: Sendable {
        package let platform: any Platform
        package let logger: Logger
        package let seed: UInt64
        /// Profiles of the sensors that may be found.
        package let catalog: ProfileCatalog
        /// Ends the process at once: something could not be stopped or replaced.
        package let endProcess: @Sendable (_ reason: String) -> Void
        /// How often the parent of the process wants a sign of life; nil for never.
        package let serviceWatchdog: Duration?
        /// Examines the machine for `doctor`; nil where none can.
        package var examination: ControlExamination?
        /// Rights of the control socket's users.
        package var rights = ControlRights()
        /// Problems found at the start of the image.
        package var start = StartFindings()
        /// No time before that is right.
        package var builtAt = RoostVersion.date

        package init(
            platform: any Platform,
            logger: Logger,
            seed: UInt64,
            serviceWatchdog: Duration? = nil,
            catalog: ProfileCatalog = .shipped,
            endProcess: @escaping @Sendable (String) -> Void
        ) {
            self.platform = platform
            self.logger = logger
            self.seed = seed
            self.catalog = catalog
            self.serviceWatchdog = serviceWatchdog
            self.endProcess = endProcess
        }
    }

    struct State {
        /// Configuration of the file, without the owner's settings.
        var file: StationConfiguration
        var catalog: ProfileCatalog
        /// Configuration in use: the file's, with the owner's settings over it.
        var configuration: StationConfiguration
        var watchdog: (any WatchdogDevice)?
        /// The devices supervisor that runs now; a restarted one is a new object.
        var devices: Supervisor?
        /// Devices that were found, in order of their first adoption; away or not.
        var found: [FoundDevice] = []
        var isStopping = false
        /// Whether a `HealthMonitor` was made.
        var hasWatched = false
    }

    /// The child that starts last.
    private static let lastChild = "control"

    package let context: StationContext
    let dependencies: Dependencies
    /// The file that this process started with: some of it counts until it ends.
    let startFile: StationConfiguration
    private let supervision: SupervisorContext
    let root: Supervisor
    let lamp: TrafficLightController
    let alerts: AlertService
    let detection: DetectionClient
    let store: StoreClient
    let budget: CostHistoryClient
    let settings: OwnerSettingsStore
    private let surveys: SurveyMarks
    let state: Mutex<State>

    /// - Parameters:
    ///   - file: The configuration as its file has it.
    ///   - stored: The owner's settings, as they were kept.
    package init(
        _ file: StationConfiguration,
        stored: OverlayFile.Stored = OverlayFile.Stored(),
        in dependencies: Dependencies
    ) {
        let platform = dependencies.platform
        let catalog = dependencies.catalog
        let overlaid = OverlaidConfiguration(file, stored.overlay, catalog: catalog)
        let configuration = overlaid.configuration
        settings = OwnerSettingsStore(stored.overlay, on: platform)
        context = Self.context(configuration, dependencies)
        let (recorder, clock) = (context.recorder, context.clock)
        budget = CostHistoryClient(platform)
        let marks = SurveyMarks(platform.clock) { recorder.recordSoon($0) }
        surveys = marks
        context.modes.observe("surveys") { [weak modes = context.modes] mode in
            marks.apply(mode, since: modes?.since)
        }
        (self.dependencies, startFile) = (dependencies, file)
        let (store, heartbeats) = (StoreClient(context), HeartbeatRegistry())
        self.store = store
        supervision = SupervisorContext(
            clock: clock,
            seed: dependencies.seed,
            heartbeats: heartbeats,
            observer: { event in
                recorder.recordSoon(event)
                // Children start from left to right: the start of the last one completes the start
                // of all.
                if event.kind == .childStarted(child: Self.lastChild),
                    event.source == configuration.name
                {
                    platform.notify(.ready)
                }
            },
            onUnkillable: { child in
                heartbeats.lastBeat(of: child).map { store.reportHung(child, $0..<clock.now) }
                dependencies.endProcess("\(child) does not stop")
            }
        )
        lamp = TrafficLightController(context)
        alerts = AlertService(context)
        recorder.watchEvents { [devices = context.devices] in devices.follow($0) }
        detection = DetectionClient(dependencies.catalog, clock: clock)
        context.standstills.observe { [weak store] stretch, device in
            store?.reportMissing(.suspended, stretch, of: device)
        }
        root = Supervisor(id: configuration.name, context: supervision, children: [])
        state = Mutex(State(file: file, catalog: catalog, configuration: configuration))
        context.leds.join(context) { [weak self] in self?.faults.isEmpty ?? true }
        alerts.join { [context] in
            context.givenTime.reading(beside: context.clock)?.trust.isSure ?? false
        }
        context.claims.join { [weak store] in store?.isYoung ?? false }
        setFaults(leftOut: catalog.problems)
        addFaults(dependencies.start)
        report(leftOut: overlaid.problems)
        if let trouble = stored.trouble { context.faults.raise(.settingsDamaged, trouble) }
    }

    /// Creates the services that the parts of this station share.
    private static func context(
        _ configuration: StationConfiguration,
        _ dependencies: Dependencies
    ) -> StationContext {
        let platform = dependencies.platform
        let (boot, clock) = (platform.bootID, platform.clock)
        let mutes = MuteList(clock: clock, boot: boot)
        let recorder = Recorder(clock: clock, logger: dependencies.logger, mutes: mutes)
        let modes = ModeState(StationMode(kind: configuration.mode))
        var context = StationContext(
            name: configuration.name,
            platform: platform,
            bootID: boot,
            recorder: recorder,
            devices: DeviceList(clock: clock),
            modes: modes,
            leds: LEDController(clock: clock),
            claims: ClaimWindow(recorder, clock: clock, changed: modes.changed),
            mutes: mutes,
            faults: FaultList(recorder, clock: clock),
            startedAt: clock.now,
            lasers: LaserHours(at: clock.now)
        )
        context.builtAt = dependencies.builtAt
        context.recording.set(configuration.unrecorded, at: .boot)
        return context
    }

    /// Runs until `requestStop()`.
    ///
    /// - Throws: `SupervisorError` when restarting did not help; the process ends then.
    package func run() async throws {
        let configuration = state.withLock { $0.configuration }
        await openWatchdog(configuration.watchdog)
        for spec in fixedChildren(configuration) { root.add(spec) }
        lamp.configure(configuration)
        context.leds.configure(configuration)
        context.claims.configure(followsPowerOn: configuration.claimsAfterPowerOn)
        context.sameAir.configure(configuration.sameAir)
        store.configure(configuration)
        alerts.configure(configuration)
        context.battery.configure(configuration.battery)
        detection.configure(configuration)
        try await root.run()
        // Only an orderly stop disarms: after a crash the board is reset.
        state.withLock { $0.watchdog }?.disarm()
    }

    /// Stops everything in order; `run()` ends when it is done.
    package func requestStop() {
        state.withLock { $0.isStopping = true }
        dependencies.platform.notify(.stopping)
        surveys.apply(StationMode(kind: .normal))
        root.requestStop()
    }

    /// The supervision tree now.
    package var tree: ChildSnapshot { root.tree }

    /// How the station is now.
    package var status: StatusReport { answers.status() }

    // MARK: Children

    func fixedChildren(_ configuration: StationConfiguration) -> [ChildSpec] {
        let (context, answers, rights) = (context, answers, dependencies.rights)
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
            let client = store
            specs.append(
                // It may have hours of records to write; what a stop leaves unwritten is in the
                // mirror.
                ChildSpec(id: "store", shutdownGrace: .seconds(9)) { _ in
                    StoreWriter(configuration, context: context, client: client)
                }
            )
        }
        let (desk, past) = (alerts, configuration.store == nil ? nil : store)
        specs.append(
            // Waits for samples: there is no progress to watch.
            ChildSpec(id: "alerts") { _ in AlertTask(desk, store: past, context: context) }
        )
        if let lights = configuration.lights { specs.append(lamp.spec(lights)) }
        specs.append(
            ChildSpec(id: "devices", shutdownGrace: .seconds(9)) { [self] _ in makeDevices() }
        )
        let (detection, store) = (detection, store)
        specs.append(
            ChildSpec(id: "hotplug") { _ in AdapterWatch(client: detection, context: context) }
        )
        specs.append(
            ChildSpec(id: "detection", heartbeatLimit: .minutes(1)) { [self] heartbeat in
                DetectionTask(
                    detection,
                    store: store,
                    context: context,
                    heartbeat: heartbeat,
                    callbacks: detectionCallbacks
                )
            }
        )
        let path = configuration.socket
        specs.append(
            // Waits for requests of people: there is no progress to watch.
            ChildSpec(id: Self.lastChild, minimumRunTime: .seconds(1)) { _ in
                ControlServer(path: path, answers: answers, station: context, rights: rights)
            }
        )
        return specs
    }

    private func healthMonitor(_ configuration: StationConfiguration) -> ChildSpec {
        let watchdogs = [dependencies.serviceWatchdog, state.withLock { $0.watchdog }?.timeout]
        // From a third to five sixths of the shortest: of 15 s, 5 to 12.5.
        let shortest = watchdogs.compactMap(\.self).min() ?? .hours(1)
        let window = (shortest / 3)...(shortest * 5 / 6)
        let (supervision, dependencies) = (supervision, dependencies)
        let pet: @Sendable () -> Void = { [weak self] in self?.pet() }
        let store = store
        return ChildSpec(id: "health") { [self] _ in
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
            if !state.withLock({ $0.hasWatched }) { store.reportLateStart() }
            state.withLock { $0.hasWatched = true }
            return healthMonitor
        }
    }

    /// The supervisor of the devices that are configured now.
    private func makeDevices() -> Supervisor {
        state.withLock { state in
            let devices = Supervisor(
                id: "devices",
                policy: RestartPolicy(
                    stopsTogether: true,
                    // A broken driver slows down by itself; this ends the branch for a swarm.
                    intensity: RestartIntensity(limit: 10, within: .minutes(1))
                ),
                context: supervision,
                children: state.configuration.devices.map(spec)
                    + state.found.filter { detection.isThere(port: $0.port) }.map(spec)
            )
            state.devices = devices
            return devices
        }
    }

    func spec(_ device: DeviceConfiguration) -> ChildSpec {
        context.devices.add(name: device.name, type: device.type, location: device.location)
        context.recorder.expect(device.name)
        return switch device.kind {
        case .sensor(let sensor):
            SerialSensorChild(name: device.name, sensor: sensor, context: context).spec
        case .http(let asked):
            HTTPDeviceChild(name: device.name, device: asked, context: context).spec
        case .pir(let settings): LineChild(name: device.name, context: context).spec(settings)
        case .button(let settings): LineChild(name: device.name, context: context).spec(settings)
        case .led(let led): LineChild(name: device.name, context: context).spec(led)
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
            state.withLock { $0.watchdog = watchdog }
        } catch {
            context.record(.watchdogUnusable, .warning, ["reason": "\(error)"])
            context.faults.raise(.watchdogUnusable, "\(error)", isTold: true)
        }
    }

    private func pet() {
        dependencies.platform.notify(.alive)
        budget.record()
        // A silent sensor sends no sample that would set the lamp.
        context.leds.refresh()
        guard let watchdog = state.withLock({ $0.watchdog }) else { return }
        do {
            try watchdog.pet()
        } catch {
            context.record(.watchdogNotPetted, .error, ["reason": "\(error)"])
        }
    }
}
