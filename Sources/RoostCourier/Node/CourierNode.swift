import ControlProtocol
import Core
import Logging
import Runtime
import Store
import StoreQueries
import Synchronization

/// A courier: its configuration turned into a supervision tree.
///
///     courier ─┬─ health    pets upward while everything makes progress
///              ├─ station   follows the station, whose store is the queue
///              ├─ routes    sees new connections, and those that are paid by volume
///              ├─ targets ──── one child per target
///              ├─ lateness  says which targets fail, or do not get their data in time
///              ├─ time      asks stations nearby for it, while nothing better is known
///              └─ control   the courier's own socket, where the program has one
package final class CourierNode: Sendable {
    /// Policy that restarts failing targets for ever, so that one of them silences no others.
    private static let policy = RestartPolicy(
        stopsTogether: true,
        intensity: RestartIntensity(limit: 1_000, within: .minutes(10))
    )

    /// Events after which the station may have another time zone.
    private static let changes = Set(
        [EventKind.Plain.settingsChanged, .configurationReloaded].map(\.rawValue)
    )

    /// Time within which waiting data is tried after a new default route.
    private static let newRouteSpread: Duration = .seconds(30)

    package let world: CourierDependencies
    private let file: String
    private let startedAt: MonotonicInstant
    private let zone: FollowedZone
    private let current: CurrentStation
    private let alerts: AlertHub
    private let cursors: StationCursors
    private let news: StationEvents
    private let supervision: SupervisorContext
    private let root: Supervisor
    private let targets: CourierTargets
    private let lateness: LatenessReporter
    private let pauses: PauseFile?
    /// What `courier.json` and the owner's page set.
    let settings: CourierSettings
    private let turn: TaskLock
    /// Answers about phones and browsers; nil where there is no folder for them.
    let pushSubscriptions: PushSubscriptions?

    /// - Parameters:
    ///   - file: The file's name, for reports.
    package init(_ configuration: CourierConfiguration, file: String, in given: CourierDependencies)
    {
        let world: CourierDependencies
        (zone, settings, world) = Self.followed(configuration, given)
        (self.world, self.file, startedAt) = (world, file, world.clock.now)
        turn = TaskLock(world.clock)
        let names = configuration.names
        cursors = StationCursors(world.link, names: names, clock: world.clock, logger: world.logger)
        (current, alerts) = (CurrentStation(), AlertHub(world.clock))
        news = StationEvents(world.link, clock: world.clock, logger: world.logger)
        let logger = world.logger
        supervision = SupervisorContext(
            clock: world.clock,
            seed: world.seed,
            observer: { event in
                guard event.severity >= .warning else { return }
                let details = event.details.map { "\($0.key) \($0.value)" }
                let metadata: Logger.Metadata = ["what": "\(details.joined(separator: ", "))"]
                logger.warning("\(event.source): \(event.kind.name)", metadata: metadata)
            },
            onUnkillable: { [world] child in world.endProcess("\(child) does not stop") }
        )
        root = Supervisor(id: "courier", policy: Self.policy, context: supervision, children: [])
        let store = world.files.map { SubscriberStore($0, clock: world.clock) }
        let pushes = PushTasks()
        pushSubscriptions = store.map { store in
            PushSubscriptions(store, pushes, runtime: world.runtime, clock: world.clock)
        }
        pauses = Self.pauses(configuration, in: world)
        let failures = Signal()
        targets = CourierTargets(
            configuration,
            in: world,
            ConnectorFactory.Parts(
                source: CurrentSource(current),
                history: StationHistory(
                    world.link,
                    world.history.sibling(),
                    clock: world.clock
                ),
                alerts: alerts,
                cursors: cursors,
                news: news,
                subscribers: store,
                pushes: pushes,
                pauses: pauses,
                supervision: supervision,
                policy: Self.policy,
                failed: { failures.raise() }
            )
        )
        lateness = LatenessReporter(news, clock: world.clock, failures: failures) { [targets] in
            guard targets.hasBegun else { return nil }
            let all = await targets.reports
            return all.targets + all.receivers + all.feeds
        }
    }

    private static func pauses(
        _ configuration: CourierConfiguration,
        in world: CourierDependencies
    ) -> PauseFile? {
        world.files.map { files in
            PauseFile(
                files,
                names: Set(configuration.entries.map(\.id)),
                boot: world.boot,
                clock: world.clock,
                logger: world.logger
            )
        }
    }

    /// Returns dependencies whose zone follows the station's, once that has named one, and whose
    /// secrets include the owner's.
    private static func followed(
        _ configuration: CourierConfiguration,
        _ given: CourierDependencies
    ) -> (FollowedZone, CourierSettings, CourierDependencies) {
        var world = given
        let zone = FollowedZone(given.zone, find: given.findZone)
        let secrets = OwnSecrets(before: given.secrets)
        (world.zone, world.secrets) = (zone.zone, secrets)
        return (zone, CourierSettings(configuration, secrets, in: given), world)
    }

    /// Runs until `requestStop()`.
    ///
    /// - Parameter control: Serves the courier's socket; nil where there is none.
    /// - Throws: `SupervisorError` when restarting did not help.
    package func run(serving control: ChildSpec? = nil) async throws {
        try await settings.load()
        await pushSubscriptions?.takeCard(from: world.files, logger: world.logger)
        try await use()
        root.add(healthMonitor)
        root.add(ChildSpec(id: "news") { [news] _ in news })
        root.add(station)
        if let routes = world.routes {
            root.add(
                ChildSpec(id: "routes") { [self] _ in
                    RouteChild(watch: routes) { [weak self] in await self?.apply($0, $1) }
                }
            )
        }
        root.add(ChildSpec(id: "targets") { [targets] _ in targets.makeSupervisor() })
        root.add(ChildSpec(id: "lateness") { [lateness] _ in lateness })
        if world.stations != nil {
            root.add(
                ChildSpec(id: "time") { [world, targets] _ in
                    NeighbourTimes(world: world) { try await targets.neighbourTimes() }
                }
            )
        }
        if let control { root.add(control) }
        try await root.run()
        news.report("courier stopped", [:])
        try await news.drain()
    }

    /// Stops everything in order; `run()` ends when it is done.
    package func requestStop() { root.requestStop() }

    private var healthMonitor: ChildSpec {
        ChildSpec(id: "health") { [supervision, world] _ in
            let window = world.watchdog / 4...world.watchdog / 2
            let callbacks = HealthMonitor.Callbacks(
                pet: world.pet,
                observer: supervision.observer,
                onStillLate: { child in world.endProcess("\(child) makes no progress") }
            )
            return HealthMonitor(
                supervision.heartbeats,
                petWindow: window,
                clock: world.clock,
                callbacks: callbacks
            )
        }
    }

    // MARK: The station

    private var station: ChildSpec {
        ChildSpec(id: "station", heartbeatLimit: .minutes(15)) { [self] heartbeat in
            var world = StationSource.World(
                link: self.world.link,
                history: self.world.history,
                clock: self.world.clock,
                logger: self.world.logger
            )
            world.gathering = targets.gathering
            let source = StationSource(
                in: world,
                heartbeat: heartbeat,
                onReturn: { [weak self] in await self?.stationAnswers() },
                onNews: { [weak self] in await self?.apply($0) }
            )
            current.set(source)
            return source
        }
    }

    /// Handles the first answer of the station, and each answer after it was away.
    private func stationAnswers() async {
        await cursors.renew()
        if let report = await readWords() { lateness.renew(report) }
        if let station = current.station { await alerts.begin(await station.alerts) }
        news.wake()
        await readStatus()
    }

    /// Reads the station's zone and identity.
    private func readStatus() async {
        do {
            let status = try await world.link.ask(GetStatus())
            await follow(status.zone)
            guard let id = status.stationID else { return }
            let model = status.board?.model ?? status.board?.name ?? "computer"
            let (name, version) = (status.name, RoostVersion.text)
            let identity = StationIdentity(id: id, name: name, model: model, version: version)
            guard try await turn.run({ targets.begin(identity) }) else { return }
            news.report("courier started", [:])
        } catch {
            world.logger.warning("station's name is not known", metadata: ["why": "\(error)"])
        }
    }

    private func follow(_ name: String?) async {
        let isOther = zone.follow(name)
        guard isOther != false else { return }
        if isOther == nil {
            let details: Logger.Metadata = ["zone": "\(name ?? "")", "next": "install tzdata"]
            world.logger.warning("station's zone is not known here", metadata: details)
        }
        // The quiet hours may have ended.
        await alerts.wake()
    }

    /// Reads the owner's sentences for rules; the earlier ones stay when it fails.
    ///
    /// - Returns: The station's report on its alerts; nil without an answer.
    @discardableResult private func readWords() async -> AlertsReport? {
        do {
            let report = try await world.link.ask(GetAlerts())
            let pairs = report.rules.filter { !$0.words.isEmpty }.map { ($0.id, $0.words) }
            await alerts.set(words: Dictionary(pairs) { first, _ in first })
            return report
        } catch {
            world.logger.info("words of rules are not known", metadata: ["why": "\(error)"])
            return nil
        }
    }

    /// Handles the events in a report of new records; samples are handled elsewhere.
    private func apply(_ report: TailReport) async {
        let boot = report.bootID.flatMap { BootID($0) }
        guard let station = current.station, let boot else { return }
        let now = MonotonicInstant(nanoseconds: Int64(report.nowSeconds * 1e9))
        for record in report.parts.flatMap({ JournalRecordCodec.contents($0.bytes).records }) {
            guard case .event(let event) = record else { continue }
            let time = await station.time(of: event.instant)
            let age = max(event.instant.duration(to: now), .zero)
            if case .alert(let alert) = event.kind {
                if case .raised = alert { await readWords() }
                await alerts.apply(alert, time, at: event.instant)
                if let news = MQTTEvent.Alert(alert, time: time, age: age) {
                    await targets.publish(.alert(news))
                }
            }
            if Self.changes.contains(event.kind.name) { await readStatus() }
            guard event.kind == .motion else { continue }
            let motion = MQTTPayloads.Motion(
                id: "\(boot.description.prefix(8))-\(event.instant.nanoseconds)",
                device: event.source,
                time: time,
                age: age,
                seconds: nil
            )
            await targets.publish(.motion(motion))
        }
    }

    /// Handles a change of the route to other networks.
    private func apply(_ before: RouteState?, _ now: RouteState) async {
        let isNew = before.map { !now.gateways.isSubset(of: $0.gateways) } ?? false
        await targets.apply(now, isNew: isNew, spread: Self.newRouteSpread)
    }

    // MARK: Orders and reports

    /// Applies another configuration; entries that did not change go on undisturbed.
    ///
    /// - Throws: `CancellationError`.
    package func reload(_ configuration: CourierConfiguration) async throws {
        await settings.reload(configuration)
        try await use()
    }

    /// Uses what the settings are now; one change after the other.
    private func use(changed id: String? = nil) async throws {
        try await turn.run {
            let configuration = await settings.merged.configuration
            await cursors.set(names: configuration.names)
            await pauses?.set(names: Set(configuration.entries.map(\.id)))
            await targets.reload(configuration, changed: id)
        }
    }

    /// Uses the settings after a change, which is an event of the station.
    ///
    /// - Throws: `CancellationError`.
    func apply(_ change: EntryChange, for asker: QuestionAsker) async throws {
        try await use(changed: change.id)
        news.report(EventKind.Plain.settingsChanged.rawValue, change.details(for: asker))
    }

    /// Forgets the pause and the cursor of an entry that was removed: one of its id begins anew.
    ///
    /// - Throws: `CancellationError`.
    func forget(_ id: String) async throws {
        try await pauses?.forget(id)
        await cursors.forget(id)
    }

    /// Tries the way to an entry, as it is or as it would be.
    ///
    /// - Throws: `ControlFailure`; `CancellationError`.
    func trial(
        _ question: TryEntry,
        by asker: QuestionAsker
    ) async throws -> EntryTrialReport {
        let (entry, secrets) = try await settings.trial(question, by: asker)
        return try await targets.trial(of: entry, secrets, sends: question.sends ?? false)
    }

    /// Tries everything that waits at once, and waits until it is sent.
    ///
    /// - Parameters:
    ///   - id: One target; nil for all.
    /// - Throws: `CancellationError`.
    package func flush(_ id: String?, for patience: Duration) async throws {
        try await targets.flush(id, for: patience)
    }

    /// Reports on the owner's other stations.
    ///
    /// - Throws: `CancellationError`.
    package func stations() async throws -> StationsReport { try await targets.stations() }

    /// Ids of the entries that run.
    package var ids: [String] { targets.outlets.map(\.entry.id) }

    func outlet(_ id: String) -> Connector? { targets.outlet(id) }

    /// Returns the connector that a question names.
    ///
    /// - Throws: `ControlFailure` that names those there are.
    func connector(_ id: String) throws(ControlFailure) -> Connector {
        guard let outlet = outlet(id) else {
            let known = ids.isEmpty ? "none" : ids.joined(separator: ", ")
            throw ControlFailure(
                code: .notFound,
                message: "there is no target \(id.prefix(40)); there are \(known)",
                pointer: "/target"
            )
        }
        return outlet
    }

    package var report: CourierReport {
        get async {
            let reports = await targets.reports
            var report = CourierReport(
                version: RoostVersion.text,
                processID: world.processID,
                uptimeSeconds: startedAt.duration(to: world.clock.now).inSeconds,
                file: file,
                targets: reports.targets
            )
            (report.receivers, report.feeds) = (reports.receivers, reports.feeds)
            report.stationTrouble = await current.station?.trouble
            report.cursorTrouble = await cursors.trouble
            (report.isMetered, report.omittedEventCount) = (targets.isMetered, news.omittedCount)
            return await settings.completed(report, cardTrouble: pushSubscriptions?.cardTrouble)
        }
    }
}
