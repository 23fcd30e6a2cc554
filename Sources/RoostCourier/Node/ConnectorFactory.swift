import ControlProtocol
import Core
import Logging
import Runtime
import StoreQueries

/// Makes the task of a connector, after each start of its child.
struct ConnectorFactory: Sendable {
    /// Parts that all targets share.
    struct Parts: Sendable {
        let source: CurrentSource
        let history: StationHistory
        let alerts: AlertHub
        let cursors: StationCursors
        let news: StationEvents
        let subscribers: SubscriberStore?
        let pushes: PushTasks
        /// The file of pauses; nil where there is no folder for it.
        let pauses: PauseFile?
        let supervision: SupervisorContext
        let policy: RestartPolicy
        /// Called when the reports of targets may have changed.
        let failed: @Sendable () -> Void
    }

    let world: CourierDependencies
    let parts: Parts
    /// Streams that no target gets.
    let left: [String]
    /// The station's name.
    let station: String
    /// URL of the station's dashboard, such as `http://balcony.local`; nil for none.
    let address: String?

    /// Makes the child of a connector from its entry.
    ///
    /// - Throws: Errors of making a target or receiver, such as a missing secret.
    func child(
        of outlet: Connector,
        _ materials: TargetDependencies,
        _ heartbeat: Heartbeat
    ) async throws -> any Child {
        switch outlet.entry {
        case .target(let entry):
            return await child(outlet, entry, try entry.make(materials), heartbeat)
        case .receiver(let entry):
            return await child(outlet, task(outlet, entry, try entry.make(materials), heartbeat))
        case .feed(let entry):
            let feed = FeedTask.World(
                link: world.link,
                network: outlet.network,
                secrets: HiddenSecrets(secrets: world.secrets, network: outlet.network),
                clock: world.clock,
                seed: seed(of: entry.id),
                history: parts.history
            )
            return await child(outlet, FeedTask(entry, in: feed, heartbeat: heartbeat))
        }
    }

    private func child(_ outlet: Connector, _ task: any DeliveryTask) async -> any Child {
        await outlet.begin(task)
        return ConnectorChild(outlet: outlet, tasks: [task])
    }

    private func task(
        _ outlet: Connector,
        _ entry: ReceiverEntry,
        _ way: any NoticeReceiver,
        _ heartbeat: Heartbeat
    ) -> any DeliveryTask {
        var notices = NoticeTask.World(
            hub: parts.alerts,
            cursors: parts.cursors,
            network: outlet.network,
            clock: world.clock,
            zone: world.zone
        ) { [news = parts.news] receiver, notice in news.report(receiver, notice) }
        notices.present = { [self] in await presentAlerts() }
        notices.pictures = world.pictures
        // The clients of the seed's app recognise notices by their titles.
        notices.station = entry.type == "seed" ? nil : station
        notices.link = address.map { "\($0)/alerts" }
        let (id, seed, options) = (entry.id, seed(of: entry.id), entry.common)
        guard let way = way as? PushReceiver else {
            return NoticeTask(id: id, way, options, seed: seed, in: notices, heartbeat: heartbeat)
        }
        notices.removed = { [logger = world.logger] words in
            logger.notice("subscriber removed", metadata: ["what": "\(words)"])
        }
        let task = PushTask(id: id, way, options, seed: seed, in: notices, heartbeat: heartbeat)
        parts.pushes.enter(task, as: id)
        return task
    }

    /// Asks the station for its alerts and titles; empty without an answer.
    private func presentAlerts() async -> PresentAlerts {
        do { return PresentAlerts(try await world.link.ask(GetAlerts())) } catch {
            world.logger.info("present alerts are not known", metadata: ["why": "\(error)"])
            return PresentAlerts()
        }
    }

    private func child(
        _ outlet: Connector,
        _ entry: TargetEntry,
        _ work: TargetWork,
        _ heartbeat: Heartbeat
    ) async -> any Child {
        let (id, seed) = (entry.id, seed(of: entry.id))
        switch work {
        case .samples(let target):
            let hasBacklog = entry.common.hasBacklog
            let task = samples(outlet, entry, target, hasBacklog: hasBacklog, heartbeat)
            return await child(outlet, task)
        case .broker(let target):
            return await broker(outlet, entry, target, heartbeat)
        case .files(let work):
            let source = StoreFileSource(
                parts.history,
                naming: work.naming,
                zone: world.zone,
                clock: world.clock
            )
            let files: FileOutboxTask.World = dependencies(outlet, source)
            let task = FileOutboxTask(id: id, work, seed: seed, in: files, heartbeat: heartbeat)
            return await child(outlet, task)
        case .drives(let work):
            var choice = work.choice
            let allowed = StreamChoice(wanted: [], left: left)
            choice.takes = { device, quantity in allowed.takes(device, quantity) }
            let source = StoreDriveSource(parts.history, choice)
            let drives: DriveTask.World = dependencies(outlet, source)
            let task = DriveTask(id: id, work, seed: seed, in: drives, heartbeat: heartbeat)
            return await child(outlet, task)
        case .heartbeat(let target):
            let task = HeartbeatTask(
                target,
                asking: world.link,
                over: outlet.network,
                clock: world.clock,
                heartbeat: heartbeat,
                id: id
            )
            return await child(outlet, task)
        }
    }

    private func broker(
        _ outlet: Connector,
        _ entry: TargetEntry,
        _ target: MQTTTarget,
        _ heartbeat: Heartbeat
    ) async -> any Child {
        let task = samples(outlet, entry, target, hasBacklog: false, heartbeat)
        let attendant = MQTTDiscovery(
            target,
            over: outlet.network,
            asking: LinkFacts(
                link: world.link,
                choice: StreamChoice(wanted: entry.common.streams, left: left)
            ),
            clock: world.clock,
            heartbeat: Heartbeat(clock: world.clock, limit: .minutes(5)),
            connected: { await task.wake() }
        )
        let news = BrokerEvents(target, over: outlet.network, clock: world.clock)
        await outlet.begin(task, (target, news))
        return ConnectorChild(outlet: outlet, tasks: [task, attendant, news])
    }

    private func seed(of id: String) -> UInt64 {
        id.utf8.reduce(world.seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    private func samples(
        _ outlet: Connector,
        _ entry: TargetEntry,
        _ target: any SampleTarget,
        hasBacklog: Bool,
        _ heartbeat: Heartbeat
    ) -> OutboxTask {
        let choice = StreamChoice(wanted: entry.common.streams, left: left)
        let source = parts.source
        let chosen = ChosenSource(source, choice) {
            let known = await source.descriptions
            // After `known`, so that it has seen each device whose samples are read.
            target.see(await source.channels(of: choice))
            return known
        }
        return OutboxTask(
            id: entry.id,
            TunedTarget(target, entry.traits(target.traits)),
            startsWithBacklog: hasBacklog,
            seed: seed(of: entry.id),
            in: dependencies(outlet, chosen),
            heartbeat: heartbeat
        )
    }

    private func dependencies<Source>(
        _ outlet: Connector,
        _ source: Source
    ) -> DeliveryDependencies<Source> {
        DeliveryDependencies(
            source: source,
            cursors: parts.cursors,
            network: outlet.network,
            clock: world.clock
        ) { [news = parts.news] target, notice in news.report(target, notice) }
    }
}
