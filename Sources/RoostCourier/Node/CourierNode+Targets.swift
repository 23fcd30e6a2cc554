import ControlProtocol
import Core
import Logging
import Supervision
import Synchronization

// The targets of a courier and their children.
extension CourierNode {
    func makeTargets() -> Supervisor {
        let targets = Supervisor(
            id: "targets",
            policy: Self.policy,
            context: supervision,
            children: []
        )
        let mustAdd = state.withLock { state in
            state.targets = targets
            return state.identity != nil
        }
        if mustAdd { addOutlets() }
        return targets
    }

    func addOutlets() {
        let (configuration, targets) = state.withLock { ($0.configuration, $0.targets) }
        guard let targets else { return }
        for entry in configuration.targets { add(entry, configuration, to: targets) }
    }

    func add(
        _ entry: TargetEntry,
        _ configuration: CourierConfiguration,
        to targets: Supervisor
    ) {
        let needs = CourierWorld.NetworkNeeds(
            allowsLocal: entry.common.isLocal,
            proxy: configuration.network.proxy
        )
        let outlet: Outlet
        do {
            let network = TargetNetwork(
                try world.network(needs),
                timeoutSeconds: entry.common.timeoutSeconds
            )
            outlet = Outlet(entry, over: network, clock: world.clock)
        } catch {
            let details: Logger.Metadata = ["target": "\(entry.id)", "why": "\(error)"]
            return world.logger.error("target has no network", metadata: details)
        }
        state.withLock { state in
            state.outlets.removeAll { $0.entry.id == entry.id }
            state.outlets.append(outlet)
        }
        let left = configuration.left
        let spec = ChildSpec(id: entry.id, heartbeatLimit: .minutes(5)) { [self] heartbeat in
            do {
                let work = try work(of: entry)
                return try await child(outlet, work, leaving: left, heartbeat)
            } catch {
                await outlet.fail("\(error)")
                throw error
            }
        }
        targets.add(spec)
    }

    private func work(of entry: TargetEntry) throws -> TargetWork {
        guard let identity = state.withLock({ $0.identity }) else {
            throw StationDown("the station has not said who it is")
        }
        let materials = TargetMaterials(
            secrets: world.secrets,
            station: identity,
            clock: world.clock,
            zone: world.zone
        )
        return try entry.make(materials)
    }

    private func child(
        _ outlet: Outlet,
        _ work: TargetWork,
        leaving left: [String],
        _ heartbeat: Heartbeat
    ) async throws -> any Child {
        let entry = outlet.entry
        switch work {
        case .samples(let target):
            await outlet.set(metered: state.withLock { $0.isMetered })
            let task = OutboxTask(
                id: entry.id,
                TunedTarget(target, entry.traits(target.traits)),
                startsWithBacklog: entry.common.hasBacklog,
                seed: entry.id.utf8.reduce(world.seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 },
                in: outboxWorld(outlet, leaving: left),
                heartbeat: heartbeat
            )
            await outlet.begin(task)
            return OutletChild(outlet: outlet, task: task)
        case .heartbeat(let target):
            let task = HeartbeatTask(
                target,
                asking: world.link,
                over: outlet.network,
                clock: world.clock,
                heartbeat: heartbeat
            )
            await outlet.begin(task)
            return OutletChild(outlet: outlet, task: task)
        }
    }

    private func outboxWorld(_ outlet: Outlet, leaving left: [String]) -> OutboxTask.World {
        let choice = StreamChoice(wanted: outlet.entry.common.streams, left: left)
        let source = CurrentSource { [weak self] in self?.state.withLock { $0.station } }
        return OutboxTask.World(
            source: ChosenSource(source, choice) { await source.descriptions },
            keeper: cursors,
            network: outlet.network,
            clock: world.clock
        ) { [news] target, notice in news.tell(target, notice) }
    }
}
