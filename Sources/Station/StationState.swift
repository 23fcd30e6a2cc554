import Configuration
import ControlProtocol
import Core
import Devices
import HardwareIO
import Profiles
import Runtime
import Synchronization

/// A device that was found, with the stay in a socket that it was last found on.
struct FoundDevice: Sendable {
    let name: String
    let sensor: SensorConfiguration
    let port: Int
}

/// The parts of one station and the configuration in use, and what only all of them can answer.
///
/// `Station` runs the parts as a tree, `DeviceBranch` changes the devices, and the control socket
/// asks; this type knows none of them.
final class StationState: Sendable {
    struct Values {
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

    /// The child of the tree that starts last.
    static let lastChild = "control"

    let context: StationContext
    let dependencies: StationDependencies
    /// The file that this process started with: some of it counts until it ends.
    let startFile: StationConfiguration
    let supervision: SupervisorContext
    let root: Supervisor
    let lamp: TrafficLightController
    let alerts: AlertService
    let detection: DetectionClient
    let store: StoreClient
    let budget: CostHistoryClient
    let settings: OwnerSettingsStore
    let surveys: SurveyMarks
    let values: Mutex<Values>

    /// - Parameters:
    ///   - file: The configuration as its file has it.
    ///   - stored: The owner's settings, as they were kept.
    init(
        _ file: StationConfiguration,
        stored: OverlayFile.Stored,
        in dependencies: StationDependencies
    ) {
        let platform = dependencies.platform
        let catalog = dependencies.catalog
        let overlaid = OverlaidConfiguration(file, stored.overlay, catalog: catalog)
        let configuration = overlaid.configuration
        settings = OwnerSettingsStore(stored.overlay, on: platform)
        context = Self.context(configuration, dependencies)
        let (recorder, clock) = (context.recorder, context.clock)
        budget = CostHistoryClient(platform)
        surveys = SurveyMarks(recorder)
        context.modes.observe("surveys") { [weak modes = context.modes, surveys] mode in
            surveys.apply(mode, since: modes?.since)
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
        values = Mutex(Values(file: file, catalog: catalog, configuration: configuration))
        context.joinLEDs { [weak self] in self?.faults.isEmpty ?? true }
        alerts.join()
        context.claims.join { [weak store] in store?.isYoung ?? false }
        context.faults.set(leftOutProfiles: catalog.problems)
        context.faults.set(dependencies.start)
        context.faults.set(leftOutSettings: overlaid.problems)
        if let trouble = stored.trouble { context.faults.raise(.settingsDamaged, trouble) }
    }

    /// Creates the services that the parts of this station share.
    private static func context(
        _ configuration: StationConfiguration,
        _ dependencies: StationDependencies
    ) -> StationContext {
        let platform = dependencies.platform
        let (boot, clock) = (platform.bootID, platform.clock)
        let mutes = MuteList(clock: clock, boot: boot)
        let recorder = Recorder(clock: clock, logger: dependencies.logger, mutes: mutes)
        let modes = ModeState(StationMode(kind: configuration.mode))
        let levels = AirLevels(recorder, modes)
        var context = StationContext(
            name: configuration.name,
            platform: platform,
            bootID: boot,
            recorder: recorder,
            devices: DeviceList(clock: clock),
            modes: modes,
            levels: levels,
            leds: LEDController(clock: clock, levels: levels),
            claims: ClaimWindow(recorder, clock: clock, changed: modes.changed),
            reset: HeldReset(recorder, platform),
            mutes: mutes,
            faults: FaultList(recorder, clock: clock),
            startedAt: clock.now,
            lasers: LaserHours(at: clock.now)
        )
        context.builtAt = dependencies.builtAt
        context.recording.set(configuration.unrecorded, at: .boot)
        return context
    }

    // MARK: Configuration

    /// The configuration in use: the file's, with the owner's settings over it.
    var configuration: StationConfiguration { values.withLock { $0.configuration } }

    /// The configuration with the devices that were found behind those that it names.
    var effective: StationConfiguration {
        values.withLock { values in
            values.configuration.adding(
                values.found.map { DeviceConfiguration(name: $0.name, kind: .sensor($0.sensor)) }
            )
        }
    }

    /// Hands the configuration in use to the parts; `catalog` are profiles that were read again.
    func configureParts(_ catalog: ProfileCatalog? = nil) {
        let configuration = configuration
        configureFound()
        context.claims.configure(followsPowerOn: configuration.claimsAfterPowerOn)
        context.sameAir.configure(configuration.sameAir)
        context.battery.configure(configuration.battery)
        detection.configure(configuration, catalog: catalog)
    }

    /// Hands the devices to the parts that also follow those that were found.
    func configureFound() {
        let effective = effective
        context.levels.configure(effective)
        lamp.configure(effective)
        context.leds.configure(effective)
        store.configure(effective)
        alerts.configure(effective)
    }

    /// Returns the entries of the owner's settings that would be ignored, and why.
    func problems(of overlay: StationOverlay) -> [ConfigurationProblem] {
        let (file, catalog) = values.withLock { ($0.file, $0.catalog) }
        return OverlaidConfiguration(file, overlay, catalog: catalog).problems
    }

    /// `roost.json` with the owner's settings, for another card.
    ///
    /// - Throws: `ControlFailure` for a file that could not be read again.
    func exported() throws(ControlFailure) -> ExportedFile {
        let (file, catalog) = values.withLock { ($0.file, $0.catalog) }
        let configured = Set(configuration.devices.map(\.name))
        let names = detection.ownNames.filter { !configured.contains($0) }.map { name in
            "\(name): the name of a found sensor stays on this card; give that name to the sensor "
                + "of the other card, and what the file sets for it counts there"
        }
        let exported: ExportedConfiguration
        do throws(ConfigurationError) {
            exported = try ExportedConfiguration(file, settings.overlay, catalog: catalog)
        } catch {
            throw ControlFailure(code: .internal, message: "not exported: \(error)")
        }
        return ExportedFile(
            name: "roost.json",
            content: exported.text,
            leftOut: exported.leftOut + names
        )
    }

    func origin(of device: String) -> DeviceOrigin? {
        // One that does not count now can be removed all the same.
        let isAdded = settings.overlay.adds(device)
        return values.withLock { values in
            let configuration = values.configuration
            if configuration.own.contains(device) { return .owner }
            if configuration.devices.contains(where: { $0.name == device }) { return .file }
            if device == LightsConfiguration.name, configuration.lights != nil { return .file }
            if isAdded { return .owner }
            return values.found.contains { $0.name == device } ? .found : nil
        }
    }

    /// Passes a person's request to detection; a refusal for a configured device names its place in
    /// the file.
    func act(_ act: DetectionMachine.Act, on device: String) throws(DetectionRefusal) {
        let configuration = configuration
        guard let index = configuration.devices.firstIndex(where: { $0.name == device }) else {
            return try detection.act(act, on: device)
        }
        guard !configuration.own.contains(device) else {
            throw DetectionRefusal(
                code: .conflict,
                message: "\(device) is a device that was added; `roost devices remove "
                    + "\(device)` removes it"
            )
        }
        let place = "devices[\(index)]"
        let how =
            switch act {
            case .rename: "under \(place).name; change it there"
            case .adopt: "under \(place), so it is in use; remove it there to have it detected"
            case .ignore, .forget: "under \(place); remove it there"
            }
        throw DetectionRefusal(
            code: .conflict,
            message: "\(device) is configured in \(configuration.file) \(how), then "
                + "`sudo systemctl reload roostd`, or send SIGHUP to it"
        )
    }

    // MARK: Reports

    /// Everything that is wrong with the station now, the oldest first.
    var faults: [Fault] {
        let (effective, isContinuous) = (effective, context.modes.isContinuous)
        var facts = StationFacts(now: context.clock.now, startedAt: context.startedAt)
        facts.named = context.faults.faults
        facts.missing = detection.missing
        let channels = Dictionary(grouping: context.recorder.channels, by: \.channel.device)
        facts.devices = context.devices.facts.map { device in
            var device = device
            let own = channels[device.name] ?? []
            device.latest = own.compactMap(\.latest)
            device.lastValueAt = own.compactMap(\.lastValue?.instant).max()
            let configured = effective.devices.first { $0.name == device.name }
            device.limits = configured?.limits(isContinuous: isContinuous)
            device.baud = configured?.baud
            return device
        }
        return facts.faults
    }

    var watchdogReport: WatchdogReport? {
        let (device, configuration) = values.withLock {
            ($0.watchdog, $0.configuration.watchdog)
        }
        guard let device, let configuration else { return nil }
        return WatchdogReport(
            path: configuration.path,
            timeoutSeconds: device.timeout.inSeconds,
            causedLastBoot: device.causedLastBoot
        )
    }

    var boardReport: BoardReport? {
        configuration.board.map { BoardReport($0, model: context.platform.boardModel) }
    }

    /// Where adapters and these devices are plugged in.
    func plugs(of places: [(device: String, location: String)]) -> PlugsReport {
        PlugTable(
            adapters: detection.adapters,
            board: configuration.board,
            model: context.platform.boardModel,
            used: configuration.usedLines
        ).report(of: places)
    }

    /// Time from one sample of a device to the next; nil for a device that measures on events.
    func interval(of name: String) -> Duration? {
        let device = effective.devices.first { $0.name == name }
        return device?.arrivalInterval(isContinuous: context.modes.isContinuous)
    }

    /// How old a value of a device may be before it is stale.
    func ageLimit(of name: String) -> Duration {
        let device = effective.devices.first { $0.name == name }
        // A channel that no configured device measures is stale at once.
        return device?.ageLimit(isContinuous: context.modes.isContinuous) ?? .zero
    }

    /// Facts that are known about a channel before it has a reading.
    func facts(of channel: Channel) -> ChannelFacts? {
        guard let device = effective.devices.first(where: { $0.name == channel.device }) else {
            return nil
        }
        let profile: Profile? =
            switch device.kind {
            case .sensor(let sensor): sensor.profile
            case .http(let http): http.profile
            case .pir, .button, .led: nil
            }
        let known = profile?.channels.first { $0.quantity.name == channel.quantity.name }
        return ChannelFacts(
            decimals: channel.quantity.decimals,
            profile: profile?.id,
            range: known?.range
        )
    }
}

extension DeviceConfiguration {
    /// The rate of its serial line; nil without one.
    fileprivate var baud: Int? {
        guard case .sensor(let sensor) = kind, GPSDAddress(sensor.port) == nil else { return nil }
        return sensor.rate
    }

    fileprivate func limits(isContinuous: Bool) -> StationFacts.Limits? {
        guard sampleInterval(isContinuous: isContinuous) != nil else { return nil }
        return StationFacts.Limits(
            age: ageLimit(isContinuous: isContinuous),
            // A mode that has just begun does not change earlier expectations.
            silence: ageLimit(isContinuous: false),
            outlastsMiss: outlastsMiss(isContinuous: isContinuous)
        )
    }
}
