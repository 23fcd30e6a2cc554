import Configuration
import ControlProtocol
import Core
import HardwareIO
import Profiles
import Runtime
import Synchronization

// Builds the station's reports.
extension Station {
    var answers: ControlAnswers {
        let (lamp, detection, root, clock) = (lamp, detection, root, context.clock)
        let configuration = state.withLock { $0.configuration }
        return ControlAnswers(
            station: context,
            version: RoostVersion.text,
            dependencies: ControlAnswers.Dependencies(
                faults: { [weak self] in self?.faults ?? [] },
                store: { [store] in store.report($0, at: $1) },
                following: ControlStore.Dependencies(
                    folder: { [store] in store.folder },
                    tail: { [store] in try await StoreTail(client: store).page(from: $0) },
                    cursors: ControlCursors.Dependencies(
                        cursors: { [store] in store.cursors },
                        keep: { [store] name, blob, isUrgent throws(CursorTable.Refusal) in
                            try store.keep(name, blob, isUrgent: isUrgent)
                        }
                    ),
                    feed: ControlFeed.Dependencies(
                        source: { [store] in try await store.feed() },
                        known: { [store] in try await store.known($0) },
                        desk: store.desk,
                        folder: { [store] in store.folder }
                    ),
                    merge: { [store] in try await store.opened?.merge($0) }
                ),
                stationID: ControlStationID.Dependencies(
                    current: { [store] in store.stationID },
                    renew: { [store] in try await store.loadStationID(isNew: true) }
                ),
                lamp: { lamp.state },
                lampCause: { lamp.cause },
                tree: { TreeReport(root.tree, at: clock.now) },
                unclaimed: { detection.unclaimed() },
                found: { detection.list },
                act: { [weak self] act, device throws(DetectionRefusal) in
                    try self?.refuseConfigured(device, act)
                    try detection.act(act, on: device)
                },
                settleMutes: { [store] in try await store.settleMutes() },
                settings: settingsDependencies(configuration),
                alerts: ControlAlerts.Dependencies(
                    report: { [alerts] in alerts.report(withRules: $0) },
                    act: { [alerts] in alerts.act($0) }
                ),
                watchdog: { [weak self] in self?.watchdogReport },
                board: { [weak self] in self?.boardReport },
                budget: { [budget] report, costs in budget.complete(&report, with: costs) },
                ageLimit: { [weak self] device in self?.ageLimit(of: device) ?? .zero },
                interval: { [weak self] device in self?.interval(of: device) },
                facts: { [weak self] channel in self?.facts(of: channel) },
                examination: dependencies.examination,
                catalog: { detection.catalog }
            )
        )
    }

    /// The station as a change of its settings sees it; `last` holds once the station is gone.
    private func settingsDependencies(
        _ last: StationConfiguration
    ) -> ControlSettings.Dependencies {
        ControlSettings.Dependencies(
            keeper: settings,
            configuration: { [weak self] in
                self?.state.withLock { $0.configuration } ?? last
            },
            problems: { [weak self] in self?.problems(of: $0) ?? [] },
            follow: { [weak self] in self?.follow($0) },
            origin: { [weak self] device in self?.origin(of: device) },
            carry: { [weak self] in _ = self?.carryPast(of: $0, to: $1) },
            keepMutes: { [weak self] in await self?.keepMutes(of: $0) }
        )
    }

    private func origin(of device: String) -> DeviceOrigin? {
        // One that does not count now can be removed all the same.
        let isAdded = settings.overlay.adds(device)
        return state.withLock { state in
            if state.configuration.own.contains(device) { return .owner }
            if state.configuration.devices.contains(where: { $0.name == device }) { return .file }
            if isAdded { return .owner }
            return state.found.contains { $0.name == device } ? .found : nil
        }
    }

    /// Refuses a change of a configured device, and names the place in the file.
    private func refuseConfigured(
        _ device: String,
        _ act: DetectionMachine.Act
    ) throws(DetectionRefusal) {
        let configuration = state.withLock { $0.configuration }
        guard let index = configuration.devices.firstIndex(where: { $0.name == device }) else {
            return
        }
        guard !configuration.own.contains(device) else {
            throw DetectionRefusal(
                code: "configured",
                message: "\(device) is an HTTP device that was added; `roost device remove "
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
            code: "configured",
            message: "\(device) is configured in \(configuration.file) \(how), then "
                + "`sudo systemctl reload roostd`, or send SIGHUP to it"
        )
    }

    private var watchdogReport: WatchdogReport? {
        let (device, configuration) = state.withLock { ($0.watchdog, $0.configuration.watchdog) }
        guard let device, let configuration else { return nil }
        return WatchdogReport(
            path: configuration.path,
            timeoutSeconds: device.timeout.inSeconds,
            causedLastBoot: device.causedLastBoot
        )
    }

    private var boardReport: BoardReport? {
        let board = state.withLock { $0.configuration.board }
        return board.map { BoardReport($0, model: context.platform.boardModel) }
    }

    private func interval(of name: String) -> Duration? {
        let device = effective.devices.first { $0.name == name }
        return device?.arrivalInterval(isContinuous: context.modes.isContinuous)
    }

    private func facts(of channel: Channel) -> ChannelFacts? {
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

    private func ageLimit(of name: String) -> Duration {
        let device = effective.devices.first { $0.name == name }
        // A channel that no configured device measures is stale at once.
        return device?.ageLimit(isContinuous: context.modes.isContinuous) ?? .zero
    }
}

extension TreeReport {
    /// The snapshot as it is shown.
    init(_ snapshot: ChildSnapshot, at now: MonotonicInstant) {
        self.init(
            id: snapshot.id,
            state: snapshot.state.rawValue,
            upSeconds: snapshot.startedAt?.age(at: now),
            restartCount: snapshot.restartCount,
            lastExit: snapshot.lastExit,
            lastBeatSeconds: snapshot.heartbeat?.lastBeat.age(at: now),
            // A promise of years is none.
            nextBeatInSeconds: snapshot.heartbeat.map { -$0.deadline.age(at: now) }
                .flatMap { $0 < 366 * 86_400 ? $0 : nil },
            children: snapshot.children.map { TreeReport($0, at: now) }
        )
    }
}
