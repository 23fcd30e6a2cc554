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
        case .target(let target):
            return try await child(outlet, target, try target.make(materials), heartbeat)
        case .receiver(let receiver):
            return await child(outlet, receiver, try receiver.make(materials), heartbeat)
        case .feed(let feed): return await child(outlet, feed, heartbeat)
        }
    }

    private func child(
        _ outlet: Connector,
        _ entry: ReceiverEntry,
        _ way: any NoticeReceiver,
        _ heartbeat: Heartbeat
    ) async -> any Child {
        var notices = NoticeTask.World(
            hub: parts.alerts,
            keeper: parts.cursors,
            network: outlet.network,
            clock: world.clock,
            zone: world.zone
        ) { [news = parts.news] receiver, reason in
            let why = reason.map { ["why": $0.words] } ?? [:]
            let details = why.merging(["target": receiver]) { old, _ in old }
            news.report(reason == nil ? "outbox resumed" : "outbox held", details)
        }
        notices.cursorLost = { [news = parts.news] receiver, why in
            news.report("outbox resumed", ["target": receiver, "why": "\(why); begins anew"])
        }
        notices.refused = { [news = parts.news] receiver, notice, reason in
            let why = "\(reason.words); is tried again"
            news.report("outbox refused", ["target": receiver, "from": notice, "why": why])
        }
        notices.present = { [self] in await presentAlerts() }
        notices.pictures = world.pictures
        // The clients of the seed's app recognise notices by their titles.
        notices.station = entry.type == "seed" ? nil : station
        notices.link = address.map { "\($0)/alerts" }
        let (seed, options) = (seed(of: entry.id), entry.common)
        if let way = way as? PushReceiver {
            notices.removed = { [logger = world.logger] words in
                logger.notice("subscriber removed", metadata: ["what": "\(words)"])
            }
            let task = PushTask(
                id: entry.id,
                way,
                options,
                seed: seed,
                in: notices,
                heartbeat: heartbeat
            )
            parts.pushes.enter(task, as: entry.id)
            await outlet.begin(task)
            return ConnectorChild(outlet: outlet, tasks: [task])
        }
        let task = NoticeTask(
            id: entry.id,
            way,
            options,
            seed: seed,
            in: notices,
            heartbeat: heartbeat
        )
        await outlet.begin(task)
        return ConnectorChild(outlet: outlet, tasks: [task])
    }

    /// Asks the station for its alerts, by the numbers of their raises; empty without an answer.
    private func presentAlerts() async -> [Int64: AlertsReport.Alert] {
        do {
            let report = try await world.link.ask(ControlRequest(.alerts), AlertsReport.self)
            let pairs = report.alerts.compactMap { one in one.n.map { ($0, one) } }
            return Dictionary(pairs) { first, _ in first }
        } catch {
            world.logger.info("present alerts are not known", metadata: ["why": "\(error)"])
            return [:]
        }
    }

    private func child(
        _ outlet: Connector,
        _ entry: TargetEntry,
        _ work: TargetWork,
        _ heartbeat: Heartbeat
    ) async throws -> any Child {
        switch work {
        case .samples(let target):
            let task = OutboxTask(
                id: entry.id,
                TunedTarget(target, entry.traits(target.traits)),
                startsWithBacklog: entry.common.hasBacklog,
                seed: seed(of: entry.id),
                in: outboxWorld(outlet),
                heartbeat: heartbeat
            )
            await outlet.begin(task)
            return ConnectorChild(outlet: outlet, tasks: [task])
        case .broker(let target):
            return await broker(outlet, entry, target, heartbeat)
        case .files(let work):
            let task = FileOutboxTask(
                id: entry.id,
                work,
                seed: seed(of: entry.id),
                in: fileWorld(outlet, work),
                heartbeat: heartbeat
            )
            await outlet.begin(task)
            return ConnectorChild(outlet: outlet, tasks: [task])
        case .drives(let work):
            let task = DriveTask(
                id: entry.id,
                work,
                seed: seed(of: entry.id),
                in: driveWorld(outlet, work),
                heartbeat: heartbeat
            )
            await outlet.begin(task)
            return ConnectorChild(outlet: outlet, tasks: [task])
        case .heartbeat(let target):
            let task = HeartbeatTask(
                target,
                asking: world.link,
                over: outlet.network,
                clock: world.clock,
                heartbeat: heartbeat,
                id: entry.id
            )
            await outlet.begin(task)
            return ConnectorChild(outlet: outlet, tasks: [task])
        }
    }

    private func child(
        _ outlet: Connector,
        _ entry: FeedEntry,
        _ heartbeat: Heartbeat
    ) async -> any Child {
        let feed = FeedTask.World(
            link: world.link,
            network: outlet.network,
            secrets: HiddenSecrets(secrets: world.secrets, network: outlet.network),
            clock: world.clock,
            seed: seed(of: entry.id),
            history: parts.history
        )
        let task = FeedTask(entry, in: feed, heartbeat: heartbeat)
        await outlet.begin(task)
        return ConnectorChild(outlet: outlet, tasks: [task])
    }

    private func broker(
        _ outlet: Connector,
        _ entry: TargetEntry,
        _ target: MQTTTarget,
        _ heartbeat: Heartbeat
    ) async -> any Child {
        let task = OutboxTask(
            id: entry.id,
            TunedTarget(target, entry.traits(target.traits)),
            startsWithBacklog: false,
            seed: seed(of: entry.id),
            in: outboxWorld(outlet),
            heartbeat: heartbeat
        )
        let attendant = MQTTDiscovery(
            target,
            over: outlet.network,
            asking: LinkFacts(link: world.link),
            clock: world.clock,
            heartbeat: Heartbeat(clock: world.clock, limit: .minutes(5)),
            connected: { await task.wake() }
        )
        let news = BrokerEvents(target, over: outlet.network, clock: world.clock)
        await outlet.begin(task, target, news)
        return ConnectorChild(outlet: outlet, tasks: [task, attendant, news])
    }

    private func seed(of id: String) -> UInt64 {
        id.utf8.reduce(world.seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    private func fileWorld(_ outlet: Connector, _ work: FileWork) -> FileOutboxTask.World {
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
        ) { [news = parts.news] target, notice in news.report(target, notice) }
    }

    private func driveWorld(_ outlet: Connector, _ work: DriveWork) -> DriveTask.World {
        var choice = work.choice
        let allowed = StreamChoice(wanted: [], left: left)
        choice.takes = { device, quantity in allowed.takes(device, quantity) }
        return DriveTask.World(
            source: StoreDriveSource(parts.history, choice),
            keeper: parts.cursors,
            network: outlet.network,
            clock: world.clock
        ) { [news = parts.news] target, notice in news.report(target, notice) }
    }

    private func outboxWorld(_ outlet: Connector) -> OutboxTask.World {
        let choice = StreamChoice(wanted: outlet.entry.streams, left: left)
        let source = parts.source
        return OutboxTask.World(
            source: ChosenSource(source, choice) { await source.descriptions },
            keeper: parts.cursors,
            network: outlet.network,
            clock: world.clock
        ) { [news = parts.news] target, notice in news.report(target, notice) }
    }
}
