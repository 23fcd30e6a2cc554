import ControlProtocol
import Core
import Logging
import Runtime
import Synchronization

/// The supervisor of a courier's targets, with a child for each.
///
/// It is made once the station's identity is known; children are made anew when the configuration
/// changes.
final class CourierTargets: Sendable {
    private struct State {
        var configuration: CourierConfiguration
        var identity: StationIdentity?
        var outlets: [Connector] = []
        var supervisor: Supervisor?
        /// Route to other networks at the last look; nil before the first look.
        var route: RouteState?

        var isMetered: Bool {
            switch configuration.network.metered {
            case .auto: route?.isMetered ?? false
            case .yes: true
            case .no: false
            }
        }
    }

    private let world: CourierDependencies
    private let parts: ConnectorFactory.Parts
    private let state: Mutex<State>
    private let finder: StationFinder

    init(
        _ configuration: CourierConfiguration,
        in world: CourierDependencies,
        _ parts: ConnectorFactory.Parts
    ) {
        (self.world, self.parts) = (world, parts)
        finder = StationFinder(world)
        state = Mutex(State(configuration: configuration))
    }

    // MARK: The children

    /// Makes the supervisor of the targets; a new one after a failure.
    func makeSupervisor() -> Supervisor {
        let supervisor = Supervisor(
            id: "targets",
            policy: parts.policy,
            context: parts.supervision,
            children: []
        )
        state.withLock { state in
            state.supervisor = supervisor
            state.outlets = []
        }
        addMissing()
        return supervisor
    }

    /// Makes the children, once the identity of the station is known; anew under another name.
    ///
    /// - Returns: Whether that was not known before.
    func begin(_ identity: StationIdentity) -> Bool {
        let (former, outlets, supervisor) = state.withLock { state in
            defer { state.identity = identity }
            return (state.identity, state.outlets, state.supervisor)
        }
        guard former?.name != identity.name else { return false }
        for outlet in outlets {
            supervisor?.remove(outlet.entry.id)
            state.withLock { $0.outlets.removeAll { $0 === outlet } }
        }
        addMissing()
        return former == nil
    }

    var hasBegun: Bool { state.withLock { $0.identity != nil } }

    private func addMissing() {
        let (configuration, identity) = state.withLock { ($0.configuration, $0.identity) }
        guard let supervisor = state.withLock({ $0.supervisor }), let identity else { return }
        for entry in configuration.entries where outlet(entry.id) == nil {
            add(entry, configuration, identity, to: supervisor)
        }
    }

    private func add(
        _ entry: ConnectorEntry,
        _ configuration: CourierConfiguration,
        _ identity: StationIdentity,
        to supervisor: Supervisor
    ) {
        var needs = CourierDependencies.NetworkNeeds(
            allowsLocal: entry.isLocal,
            proxy: configuration.network.proxy
        )
        needs.isPublicOnly = entry.isPublicOnly
        let outlet: Connector
        do {
            let network = TargetNetwork(
                try world.network(needs),
                timeoutSeconds: entry.timeoutSeconds
            ) { [parts] in parts.failed() }
            let streams = StreamChoice(wanted: entry.streams, left: configuration.left)
            let pauses = parts.pauses
            outlet = Connector(entry, over: network, clock: world.clock, pauses: pauses) {
                [parts] in
                await parts.source.channels(of: streams)
            }
        } catch {
            let details: Logger.Metadata = ["target": "\(entry.id)", "why": "\(error)"]
            return world.logger.error("target has no network", metadata: details)
        }
        state.withLock { $0.outlets.append(outlet) }
        var materials = TargetDependencies(
            secrets: HiddenSecrets(secrets: world.secrets, network: outlet.network),
            station: identity,
            clock: world.clock,
            zone: world.zone
        )
        materials.subscribers = parts.subscribers
        let left = configuration.left
        let spec = ChildSpec(id: entry.id, heartbeatLimit: .minutes(5)) {
            [self, materials] heartbeat in
            do {
                await outlet.set(metered: isMetered)
                try await outlet.restorePause()
                let maker = ConnectorFactory(
                    world: world,
                    parts: parts,
                    left: left,
                    station: identity.name,
                    address: configuration.network.address ?? world.address
                )
                return try await maker.child(of: outlet, materials, heartbeat)
            } catch {
                await outlet.fail("\(error)")
                parts.failed()
                throw error
            }
        }
        supervisor.add(spec)
        parts.failed()
    }

    /// Sends an alert to all brokers, a motion only to those whose owner named its channel.
    func publish(_ news: MQTTEvent) async {
        let left = state.withLock { $0.configuration.left }
        for outlet in outlets {
            if case .motion(let motion) = news {
                let choice = StreamChoice(wanted: outlet.entry.streams, left: left)
                guard choice.takes(motion.device, "motion") else { continue }
            }
            await outlet.publish(news)
        }
    }

    // MARK: Changes

    /// Applies another configuration; entries that did not change go on undisturbed.
    ///
    /// Targets with secrets are started again, since their secrets may have changed.
    ///
    /// - Parameter id: The only entry whose secrets may have changed; nil for all.
    func reload(_ configuration: CourierConfiguration, changed id: String? = nil) async {
        let (old, outlets, supervisor) = state.withLock { state in
            defer { state.configuration = configuration }
            return (state.configuration, state.outlets, state.supervisor)
        }
        finder.forget()
        parts.pushes.keep(Set(configuration.receivers.map(\.id)))
        guard let supervisor else { return }
        let isSameFrame =
            old.left == configuration.left && old.network.proxy == configuration.network.proxy
            && old.network.address == configuration.network.address
        for outlet in outlets {
            let next = configuration.entries.first { $0.id == outlet.entry.id }
            if let next, next.source == outlet.entry.source, isSameFrame,
                !next.hasSecrets || id.map({ $0 != next.id }) ?? false
            {
                await outlet.set(metered: isMetered)
                await outlet.wake()
                continue
            }
            supervisor.remove(outlet.entry.id)
            state.withLock { $0.outlets.removeAll { $0 === outlet } }
        }
        addMissing()
    }

    /// Handles a change of the route to other networks.
    ///
    /// - Parameters:
    ///   - isNew: Whether a default route is new: what waits is then tried within `spread`.
    ///   - spread: So that not all targets begin at once.
    func apply(_ now: RouteState, isNew: Bool, spread: Duration) async {
        let (outlets, isMetered) = state.withLock { state in
            state.route = now
            return (state.outlets, state.isMetered)
        }
        for outlet in outlets {
            await outlet.set(metered: isMetered)
            if isNew { await outlet.wake(within: spread) }
        }
    }

    /// Tries everything that waits at once, and waits until it is sent.
    ///
    /// - Throws: `CancellationError`.
    func flush(_ id: String?, for patience: Duration) async throws {
        let outlets = outlets.filter { id == nil || $0.entry.id == id }
        for outlet in outlets { await outlet.flush(true) }
        let end = world.clock.now.advanced(by: patience)
        while world.clock.now < end {
            var isDone = true
            for outlet in outlets { isDone = await outlet.isEmpty && isDone }
            guard !isDone else { break }
            for outlet in outlets { await outlet.wake() }
            let look = min(world.clock.now.advanced(by: .milliseconds(250)), end)
            try await world.clock.sleep(until: look, tolerance: .milliseconds(50))
        }
        for outlet in outlets { await outlet.flush(false) }
    }

    /// Tries the way to an entry, which need not be one of the configuration.
    ///
    /// - Throws: `CancellationError`; an error of making the network.
    func trial(
        of entry: ConnectorEntry,
        _ secrets: any SecretSource,
        sends: Bool
    ) async throws -> EntryTrialReport {
        let (configuration, identity) = state.withLock { ($0.configuration, $0.identity) }
        var needs = CourierDependencies.NetworkNeeds(
            allowsLocal: entry.isLocal,
            proxy: configuration.network.proxy
        )
        needs.isPublicOnly = entry.isPublicOnly
        let network = TargetNetwork(try world.network(needs), timeoutSeconds: entry.timeoutSeconds)
        var materials = TargetDependencies(
            secrets: HiddenSecrets(secrets: secrets, network: network),
            station: identity ?? .unknown,
            clock: world.clock,
            zone: world.zone
        )
        materials.subscribers = parts.subscribers
        return try await EntryTrial(entry: entry, materials: materials, network: network)
            .run(sends: sends)
    }

    // MARK: Reports

    /// Reports on the owner's other stations.
    ///
    /// - Throws: `CancellationError`.
    func stations() async throws -> StationsReport {
        try await finder.report(state.withLock { $0.configuration })
    }

    /// Asks other stations for the time; nil where the configuration does not allow it.
    ///
    /// - Throws: `CancellationError`.
    func neighbourTimes() async throws -> [NeighbourTime]? {
        let configuration = state.withLock { $0.configuration }
        guard configuration.stations.asksTime else { return nil }
        return try await NeighbourClocks(finder: finder).times(configuration)
    }

    var isMetered: Bool { state.withLock { $0.isMetered } }

    /// The running connectors, in the order of the configuration.
    var outlets: [Connector] {
        let (configured, outlets) = state.withLock { ($0.configuration.entries, $0.outlets) }
        return configured.compactMap { entry in outlets.first { $0.entry.id == entry.id } }
    }

    func outlet(_ id: String) -> Connector? {
        state.withLock { $0.outlets.first { $0.entry.id == id } }
    }

    /// Reports on all targets, receivers and feeds, in the order of the configuration.
    var reports: (targets: [OutboxReport], receivers: [OutboxReport], feeds: [OutboxReport]) {
        get async {
            let configured = state.withLock { $0.configuration.entries }
            var (targets, receivers) = ([OutboxReport](), [OutboxReport]())
            var feeds: [OutboxReport] = []
            for entry in configured {
                let waiting = OutboxReport(
                    id: entry.id,
                    type: entry.type,
                    state: .waitsForStation
                )
                let report = await outlet(entry.id)?.report ?? waiting
                switch entry {
                case .target: targets.append(report)
                case .receiver: receivers.append(report)
                case .feed: feeds.append(report)
                }
            }
            return (targets, receivers, feeds)
        }
    }

    /// The shortest time that any target lets samples wait for further ones.
    var gathering: Duration {
        let targets = state.withLock { $0.configuration.targets }
        return targets.map { $0.common.liveInterval ?? .zero }.min() ?? .zero
    }
}
