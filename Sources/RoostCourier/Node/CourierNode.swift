import ControlProtocol
import Core
import Logging
import Store
import StoreQueries
import Supervision
import Synchronization

/// A courier: its configuration turned into a supervision tree.
///
///     courier ─┬─ vigil     pets upward while everything makes progress
///              ├─ station   follows the station, whose store is the queue
///              ├─ routes    sees new connections, and those that are paid by volume
///              ├─ targets ──── one child per target
///              └─ control   the courier's own socket, where the program has one
package final class CourierNode: Sendable {
    struct State {
        var configuration: CourierConfiguration
        var outlets: [Outlet] = []
        var station: StationSource?
        var targets: Supervisor?
        var identity: StationIdentity?
        var isMetered = false
    }

    /// Targets that fail again and again are tried for ever, ever more seldom: a courier that ended
    /// for one of them would silence the others.
    static let policy = RestartPolicy(
        stopsTogether: true,
        intensity: RestartIntensity(limit: 1_000, within: .minutes(10))
    )

    /// With a new default route, what waits is tried within this time.
    private static let newRouteSpread: Duration = .seconds(30)

    package let world: CourierWorld
    private let file: String
    private let startedAt: MonotonicInstant
    let cursors: StationCursors
    let news: StationNews
    let supervision: SupervisorContext
    private let root: Supervisor
    let state: Mutex<State>

    /// - Parameters:
    ///   - configuration: What its file said.
    ///   - file: The file's name, for reports.
    ///   - world: What it works with.
    package init(_ configuration: CourierConfiguration, file: String, in world: CourierWorld) {
        (self.world, self.file, startedAt) = (world, file, world.clock.now)
        let names = Set(configuration.targets.map(\.id) + configuration.receivers.map(\.id))
        cursors = StationCursors(world.link, names: names, logger: world.logger)
        news = StationNews(world.link, clock: world.clock, logger: world.logger)
        let logger = world.logger
        supervision = SupervisorContext(
            clock: world.clock,
            seed: world.seed,
            observer: { event in
                guard event.severity >= .warning else { return }
                let details = event.details.map { "\($0.key) \($0.value)" }
                let words = details.joined(separator: ", ")
                logger.warning(
                    "\(event.source): \(event.kind.name)",
                    metadata: ["what": "\(words)"]
                )
            },
            onUnkillable: { child in world.endProcess("\(child) does not stop") }
        )
        root = Supervisor(
            id: "courier",
            policy: Self.policy,
            context: supervision,
            children: []
        )
        var initial = State(configuration: configuration)
        initial.isMetered = configuration.network.metered == .yes
        state = Mutex(initial)
    }

    /// Runs until `requestStop()`.
    ///
    /// - Parameter control: Serves the courier's socket; nil where there is none.
    /// - Throws: `SupervisorError` when restarting did not help.
    package func run(serving control: ChildSpec? = nil) async throws {
        root.add(vigil)
        root.add(ChildSpec(id: "news") { [news] _ in news })
        root.add(station)
        if let routes = world.routes {
            root.add(
                ChildSpec(id: "routes") { [self] _ in
                    RouteChild(watch: routes) { [weak self] in await self?.take($0, $1) }
                }
            )
        }
        root.add(ChildSpec(id: "targets") { [self] _ in makeTargets() })
        if let control { root.add(control) }
        try await root.run()
        news.tell("courier stopped", [:])
        try await news.drain()
    }

    /// Stops everything in order; `run()` ends when it is done.
    package func requestStop() { root.requestStop() }

    private var vigil: ChildSpec {
        ChildSpec(id: "vigil") { [supervision, world] _ in
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
            world.gathering = gathering
            let source = StationSource(
                in: world,
                heartbeat: heartbeat,
                onReturn: { [weak self] in await self?.stationAnswers() }
            )
            state.withLock { $0.station = source }
            return source
        }
    }

    /// The shortest time that some target lets samples wait for one another.
    private var gathering: Duration {
        let targets = state.withLock { $0.configuration.targets }
        return targets.map { $0.common.liveInterval ?? .zero }.min() ?? .zero
    }

    /// The station answers, for the first time or again.
    private func stationAnswers() async {
        await cursors.renew()
        news.wake()
        guard state.withLock({ $0.identity == nil }) else { return }
        do {
            let status = try await world.link.ask(ControlRequest(.status), StatusReport.self)
            guard let id = status.stationID else { return }
            let identity = StationIdentity(
                id: id,
                name: status.name,
                model: status.board?.model ?? status.board?.name ?? "computer",
                version: RoostVersion.text
            )
            state.withLock { $0.identity = identity }
            news.tell("courier started", [:])
            addOutlets()
        } catch {
            world.logger.warning("station's name is not known", metadata: ["why": "\(error)"])
        }
    }

    /// The way to other networks is another one.
    private func take(_ before: RouteState?, _ now: RouteState) async {
        let (outlets, isMetered) = state.withLock { state in
            switch state.configuration.network.metered {
            case .auto: state.isMetered = now.isMetered
            case .yes: state.isMetered = true
            case .no: state.isMetered = false
            }
            return (state.outlets, state.isMetered)
        }
        let isNew = before.map { !now.gateways.isSubset(of: $0.gateways) } ?? false
        for outlet in outlets {
            await outlet.set(metered: isMetered)
            if isNew { await outlet.wake(within: Self.newRouteSpread) }
        }
    }

    // MARK: Orders and reports

    /// Goes by another configuration: what did not change goes on undisturbed.
    ///
    /// Targets with secrets begin anew, since those may have changed.
    package func reload(_ configuration: CourierConfiguration) async {
        let (old, targets) = state.withLock { state in
            defer { state.configuration = configuration }
            return (state.configuration, state.targets)
        }
        guard let targets else { return }
        let isSameFrame = old.left == configuration.left && old.network == configuration.network
        for outlet in state.withLock({ $0.outlets }) {
            let next = configuration.targets.first { $0.id == outlet.entry.id }
            if let next, next.source == outlet.entry.source, next.secrets.isEmpty, isSameFrame {
                await outlet.wake()
                continue
            }
            targets.remove(outlet.entry.id)
            state.withLock { $0.outlets.removeAll { $0 === outlet } }
        }
        guard state.withLock({ $0.identity != nil }) else { return }
        for entry in configuration.targets where outlet(entry.id) == nil {
            add(entry, configuration, to: targets)
        }
    }

    /// Tries everything that waits at once, and waits for it to go.
    ///
    /// - Parameters:
    ///   - id: One target; nil for all.
    ///   - patience: How long.
    /// - Throws: `CancellationError`.
    package func flush(_ id: String?, for patience: Duration) async throws {
        let outlets = state.withLock { $0.outlets }.filter { id == nil || $0.entry.id == id }
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

    /// The targets that run.
    package var ids: [String] { state.withLock { $0.outlets.map(\.entry.id) } }

    package func outlet(_ id: String) -> Outlet? {
        state.withLock { $0.outlets.first { $0.entry.id == id } }
    }

    /// The target that a request names.
    ///
    /// - Throws: `ControlFailure` that names those there are.
    func outlet(of request: CourierRequest) throws(ControlFailure) -> Outlet {
        guard let id = request.target else {
            throw CourierControl.wrong("target is missing", at: "/target")
        }
        guard let outlet = outlet(id) else {
            let known = ids.isEmpty ? "none" : ids.joined(separator: ", ")
            throw ControlFailure(
                code: "unknown-target",
                message: "there is no target \(id.prefix(40)); there are \(known)",
                pointer: "/target"
            )
        }
        return outlet
    }

    package var report: CourierReport {
        get async {
            let (outlets, station) = state.withLock { ($0.outlets, $0.station) }
            var targets: [OutboxReport] = []
            for outlet in outlets { targets.append(await outlet.report) }
            let configured = state.withLock { $0.configuration.targets }
            for entry in configured where !outlets.contains(where: { $0.entry.id == entry.id }) {
                targets.append(
                    OutboxReport(id: entry.id, type: entry.type, state: .waitsForStation)
                )
            }
            var report = CourierReport(
                version: RoostVersion.text,
                processID: world.processID,
                uptimeSeconds: startedAt.duration(to: world.clock.now).inSeconds,
                file: file,
                targets: targets
            )
            report.stationTrouble = await station?.trouble
            report.cursorTrouble = await cursors.trouble
            report.isMetered = state.withLock { $0.isMetered }
            report.omittedEvents = news.omittedCount
            return report
        }
    }
}
