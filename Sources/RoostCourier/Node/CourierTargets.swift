import ControlProtocol
import Core
import Logging
import Supervision
import Synchronization

/// The targets of a courier: a supervisor with a child for each, made once the station has said who
/// it is, and made anew where the configuration changes.
final class CourierTargets: Sendable {
    private struct State {
        var configuration: CourierConfiguration
        var identity: StationIdentity?
        var outlets: [Outlet] = []
        var supervisor: Supervisor?
        var isMetered: Bool
    }

    private let world: CourierWorld
    private let parts: Parts
    private let state: Mutex<State>

    /// What all targets share.
    struct Parts: Sendable {
        let source: CurrentSource
        let history: StationHistory
        let alerts: AlertHub
        let cursors: StationCursors
        let news: StationNews
        let subscribers: SubscriberBook?
        let pushes: PushTasks
        let supervision: SupervisorContext
        let policy: RestartPolicy
    }

    init(_ configuration: CourierConfiguration, in world: CourierWorld, _ parts: Parts) {
        (self.world, self.parts) = (world, parts)
        state = Mutex(
            State(
                configuration: configuration,
                isMetered: configuration.network.metered == .yes
            )
        )
    }

    // MARK: The children

    /// The supervisor of the targets; a new one after a failure.
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

    /// The station has said who it is.
    ///
    /// - Returns: Whether that was not known before.
    func begin(_ identity: StationIdentity) -> Bool {
        let isFirst = state.withLock { state in
            defer { state.identity = identity }
            return state.identity == nil
        }
        if isFirst { addMissing() }
        return isFirst
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
        _ entry: OutletEntry,
        _ configuration: CourierConfiguration,
        _ identity: StationIdentity,
        to supervisor: Supervisor
    ) {
        var needs = CourierWorld.NetworkNeeds(
            allowsLocal: entry.isLocal,
            proxy: configuration.network.proxy
        )
        needs.isPublicOnly = entry.isPublicOnly
        let outlet: Outlet
        do {
            let network = TargetNetwork(
                try world.network(needs),
                timeoutSeconds: entry.timeoutSeconds
            )
            outlet = Outlet(entry, over: network, clock: world.clock)
        } catch {
            let details: Logger.Metadata = ["target": "\(entry.id)", "why": "\(error)"]
            return world.logger.error("target has no network", metadata: details)
        }
        state.withLock { $0.outlets.append(outlet) }
        var materials = TargetMaterials(
            secrets: world.secrets,
            station: identity,
            clock: world.clock,
            zone: world.zone
        )
        materials.subscribers = parts.subscribers
        let left = configuration.left
        let spec = ChildSpec(id: entry.id, heartbeatLimit: .minutes(5)) {
            [self, materials] heartbeat in
            do {
                switch entry {
                case .target(let target):
                    let work = try target.make(materials)
                    return try await child(outlet, target, work, leaving: left, heartbeat)
                case .receiver(let receiver):
                    let way = try receiver.make(materials)
                    return await child(outlet, receiver, way, heartbeat)
                }
            } catch {
                await outlet.fail("\(error)")
                throw error
            }
        }
        supervisor.add(spec)
    }

    private func child(
        _ outlet: Outlet,
        _ entry: ReceiverEntry,
        _ way: any NoticeReceiver,
        _ heartbeat: Heartbeat
    ) async -> any Child {
        var world = NoticeTask.World(
            hub: parts.alerts,
            keeper: parts.cursors,
            network: outlet.network,
            clock: self.world.clock,
            zone: self.world.zone
        ) { [news = parts.news] receiver, reason in
            let why = reason.map { ["why": $0.words] } ?? [:]
            let details = why.merging(["target": receiver]) { old, _ in old }
            news.tell(reason == nil ? "outbox resumed" : "outbox held", details)
        }
        let (seed, options) = (seed(of: entry.id), entry.common)
        if let way = way as? PushReceiver {
            world.removed = { [logger = self.world.logger] words in
                logger.notice("subscriber removed", metadata: ["what": "\(words)"])
            }
            let task = PushTask(
                id: entry.id,
                way,
                options,
                seed: seed,
                in: world,
                heartbeat: heartbeat
            )
            parts.pushes.enter(task, as: entry.id)
            await outlet.begin(task)
            return OutletChild(outlet: outlet, tasks: [task])
        }
        let task = NoticeTask(
            id: entry.id,
            way,
            options,
            seed: seed,
            in: world,
            heartbeat: heartbeat
        )
        await outlet.begin(task)
        return OutletChild(outlet: outlet, tasks: [task])
    }

    private func child(
        _ outlet: Outlet,
        _ entry: TargetEntry,
        _ work: TargetWork,
        leaving left: [String],
        _ heartbeat: Heartbeat
    ) async throws -> any Child {
        await outlet.set(metered: isMetered)
        switch work {
        case .samples(let target):
            let task = OutboxTask(
                id: entry.id,
                TunedTarget(target, entry.traits(target.traits)),
                startsWithBacklog: entry.common.hasBacklog,
                seed: seed(of: entry.id),
                in: outboxWorld(outlet, leaving: left),
                heartbeat: heartbeat
            )
            await outlet.begin(task)
            return OutletChild(outlet: outlet, tasks: [task])
        case .broker(let target):
            return await broker(outlet, entry, target, leaving: left, heartbeat)
        case .files(let work):
            let task = FileOutboxTask(
                id: entry.id,
                work,
                seed: seed(of: entry.id),
                in: fileWorld(outlet, work),
                heartbeat: heartbeat
            )
            await outlet.begin(task)
            return OutletChild(outlet: outlet, tasks: [task])
        case .heartbeat(let target):
            let task = HeartbeatTask(
                target,
                asking: world.link,
                over: outlet.network,
                clock: world.clock,
                heartbeat: heartbeat
            )
            await outlet.begin(task)
            return OutletChild(outlet: outlet, tasks: [task])
        }
    }

    private func broker(
        _ outlet: Outlet,
        _ entry: TargetEntry,
        _ target: MQTTTarget,
        leaving left: [String],
        _ heartbeat: Heartbeat
    ) async -> any Child {
        let task = OutboxTask(
            id: entry.id,
            TunedTarget(target, entry.traits(target.traits)),
            startsWithBacklog: false,
            seed: seed(of: entry.id),
            in: outboxWorld(outlet, leaving: left),
            heartbeat: heartbeat
        )
        let attendant = MQTTAttendant(
            target,
            over: outlet.network,
            asking: LinkFacts(link: world.link),
            clock: world.clock,
            heartbeat: Heartbeat(clock: world.clock, limit: .minutes(5))
        )
        let motions = MotionReports(target, over: outlet.network, clock: world.clock)
        await outlet.begin(task, target, motions)
        return OutletChild(outlet: outlet, tasks: [task, attendant, motions])
    }

    private func seed(of id: String) -> UInt64 {
        id.utf8.reduce(world.seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    private func fileWorld(_ outlet: Outlet, _ work: FileWork) -> FileOutboxTask.World {
        let source = StoreFileSource(
            parts.history,
            naming: work.naming,
            zone: world.zone,
            clock: world.clock
        )
        return FileOutboxTask.World(
            source: source,
            keeper: parts.cursors,
            network: outlet.network,
            clock: world.clock
        ) { [news = parts.news] target, notice in news.tell(target, notice) }
    }

    /// A motion goes to the brokers whose owner named its channel: it says who is at home.
    func take(_ motion: MQTTPayloads.Motion) async {
        let left = state.withLock { $0.configuration.left }
        for outlet in outlets {
            let choice = StreamChoice(wanted: outlet.entry.streams, left: left)
            if choice.takes(motion.device, "motion") { await outlet.take(motion) }
        }
    }

    private func outboxWorld(_ outlet: Outlet, leaving left: [String]) -> OutboxTask.World {
        let choice = StreamChoice(wanted: outlet.entry.streams, left: left)
        let source = parts.source
        return OutboxTask.World(
            source: ChosenSource(source, choice) { await source.descriptions },
            keeper: parts.cursors,
            network: outlet.network,
            clock: world.clock
        ) { [news = parts.news] target, notice in news.tell(target, notice) }
    }

    // MARK: Changes

    /// Goes by another configuration: what did not change goes on undisturbed.
    ///
    /// Targets with secrets begin anew, since those may have changed.
    func reload(_ configuration: CourierConfiguration) async {
        let (old, outlets, supervisor) = state.withLock { state in
            defer { state.configuration = configuration }
            return (state.configuration, state.outlets, state.supervisor)
        }
        parts.pushes.keep(Set(configuration.receivers.map(\.id)))
        guard let supervisor else { return }
        let isSameFrame = old.left == configuration.left && old.network == configuration.network
        for outlet in outlets {
            let next = configuration.entries.first { $0.id == outlet.entry.id }
            if let next, next.source == outlet.entry.source, !next.hasSecrets, isSameFrame {
                await outlet.wake()
                continue
            }
            supervisor.remove(outlet.entry.id)
            state.withLock { $0.outlets.removeAll { $0 === outlet } }
        }
        addMissing()
    }

    /// The way to other networks is another one.
    ///
    /// - Parameters:
    ///   - now: What it is.
    ///   - isNew: Whether a default route is new: what waits is then tried within `spread`.
    ///   - spread: So that not all targets begin at once.
    func take(_ now: RouteState, isNew: Bool, spread: Duration) async {
        let (outlets, isMetered) = state.withLock { state in
            switch state.configuration.network.metered {
            case .auto: state.isMetered = now.isMetered
            case .yes: state.isMetered = true
            case .no: state.isMetered = false
            }
            return (state.outlets, state.isMetered)
        }
        for outlet in outlets {
            await outlet.set(metered: isMetered)
            if isNew { await outlet.wake(within: spread) }
        }
    }

    /// Tries everything that waits at once, and waits for it to go.
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

    // MARK: Reports

    var isMetered: Bool { state.withLock { $0.isMetered } }

    /// In the order of the configuration.
    var outlets: [Outlet] {
        let (configured, outlets) = state.withLock { ($0.configuration.entries, $0.outlets) }
        return configured.compactMap { entry in outlets.first { $0.entry.id == entry.id } }
    }

    func outlet(_ id: String) -> Outlet? {
        state.withLock { $0.outlets.first { $0.entry.id == id } }
    }

    /// Of all targets and of all receivers, in the order of the configuration.
    var reports: (targets: [OutboxReport], receivers: [OutboxReport]) {
        get async {
            let configured = state.withLock { $0.configuration.entries }
            var (targets, receivers) = ([OutboxReport](), [OutboxReport]())
            for entry in configured {
                let waiting = OutboxReport(
                    id: entry.id,
                    type: entry.type,
                    state: .waitsForStation
                )
                let report = await outlet(entry.id)?.report ?? waiting
                if case .target = entry { targets.append(report) } else { receivers.append(report) }
            }
            return (targets, receivers)
        }
    }

    /// Whether a broker is to hear of motions: its owner named their channel.
    var hearsMotions: Bool {
        let targets = state.withLock { $0.configuration.targets }
        return targets.contains { $0.type == "mqtt" && !$0.common.streams.isEmpty }
    }

    /// The shortest time that some target lets samples wait for one another.
    var gathering: Duration {
        let targets = state.withLock { $0.configuration.targets }
        return targets.map { $0.common.liveInterval ?? .zero }.min() ?? .zero
    }
}
