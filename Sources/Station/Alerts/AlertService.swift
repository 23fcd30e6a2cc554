import Alerts
import Configuration
import ControlProtocol
import Core
import Devices
import Synchronization

/// The alerts of the station: looks at samples, events and reports as they come.
///
/// A sample becomes an alert in the job that brought it. Nothing is raised before the store said
/// what earlier processes raised, so that an alert keeps its number over a restart; a station
/// without a store has no such past. Bounds: those of `AlertEngine`.
final class AlertService: Sendable {
    static let source = "alerts"
    /// A device that measures more often is silent only after three times as long.
    private static let leastInterval = 10
    /// Time between two checks of facts that no event reports.
    private static let factsInterval: Duration = .minutes(1)
    /// Shortest time between two checks that are due by time only.
    private static let leastPause: Duration = .seconds(10)
    private static let standingInterval: Duration = .hours(24)

    struct State {
        var engine = AlertEngine([])
        /// Rules of the configuration, in use or not.
        var listed: [ListedRule] = []
        var reporter = AlertReporter()
        var zone: String?
        /// The zone's offset from UTC at a second since 1970, both in seconds.
        var zoneShift: @Sendable (Int) -> Int = { _ in 0 }
        var expected: [String: Int] = [:]
        var devices: [DeviceConfiguration] = []
        /// What people call devices, by their names.
        var titles: [String: String] = [:]
        /// Whether alerts may be raised.
        var isOpen = false
        /// Whether the averages want the past, and whether it was asked for with a known clock.
        var wantsPast = true
        var hadClock = false
        /// Whether that clock was a sure one.
        var wasSure = false
        var vitals: MachineVitals?
        var vitalsAt: MonotonicInstant?
        var wantsVitals = false
        var factsAt: MonotonicInstant?
        var advancedAt: MonotonicInstant?
        var standingAt: MonotonicInstant?
        /// Instant at which the task wakes; nil while it waits only for its signal.
        var awaited: MonotonicInstant?
        var hasToldLeftOut = false
    }

    private let context: StationContext
    let timeline: AlertTimeline
    let state = Mutex(State())
    /// Wakes the task.
    let attention = Signal()

    init(_ context: StationContext) {
        self.context = context
        let clock = context.clock
        timeline = AlertTimeline(at: clock.now, clock.wallReading?.wall)
    }

    private var clock: any NodeClock { context.clock }

    /// Listens to the station from now on; once.
    func join() {
        context.recorder.watch { [weak self] in self?.append($0) }
        context.recorder.watchEvents { [weak self] in self?.apply($0) }
        context.modes.observe(Self.source) { [weak self] _ in self?.expect() }
    }

    /// Applies rules and devices; alerts of rules that stay keep their lives.
    func configure(_ configuration: StationConfiguration) {
        let listed = configuration.alerts.listed
        let rules = listed.filter(\.isOn).map(\.rule)
        settle { state, second in
            state.listed = listed
            (state.devices, state.titles) = (configuration.devices, configuration.titles)
            state.zone = configuration.alerts.zone ?? configuration.zone
            guard state.engine.rules != rules else { return [] }
            state.wantsPast = true
            let events = state.engine.use(rules, at: second)
            return state.reporter.forget().reduce(into: events) { events, report in
                events += state.engine.apply(report, at: second)
            }
        }
        expect()
        attention.raise()
    }

    /// Updates the expected sample intervals of the devices.
    private func expect() {
        let isContinuous = context.modes.isContinuous
        settle { state, second in
            var (expected, warmUps) = ([String: Int](), [String: Int]())
            for device in state.devices {
                let interval = device.arrivalInterval(isContinuous: isContinuous)
                guard let interval else { continue }
                let seconds = Int(interval.inSeconds.rounded(.up))
                expected[device.name] = max(Self.leastInterval, seconds)
                warmUps[device.name] = Int(device.warmUp.inSeconds.rounded(.up))
            }
            for (name, interval) in expected {
                let warmUp = warmUps[name] ?? 0
                state.engine.expect(name, every: interval, warmUp: warmUp, at: second)
            }
            let gone = state.expected.keys.filter { expected[$0] == nil }.sorted()
            state.expected = expected
            return gone.flatMap { state.engine.remove($0, at: second) }
        }
    }

    // MARK: What comes

    private func append(_ sample: [Reading]) {
        settle { state, second in
            let now = clock.now
            if !state.wantsPast, isBetterDated(state) {
                state.wantsPast = true
                attention.raise()
            }
            if !state.wantsVitals,
                state.vitalsAt.map({ $0.advanced(by: Self.factsInterval) <= now }) ?? true
            {
                state.wantsVitals = true
                attention.raise()
            }
            guard state.isOpen else {
                state.engine.remember(sample, at: second)
                return []
            }
            return state.engine.append(sample, at: second) + look(&state, second)
        }
    }

    private func apply(_ event: Event) {
        if case .alert = event.kind { return }
        settle { state, second in
            guard state.isOpen else { return [] }
            var events = state.engine.apply(event, at: second)
            for report in state.reporter.report(event) {
                events += state.engine.apply(report, at: second)
            }
            guard event.severity >= .notice else { return events }
            state.factsAt = nil
            return events + look(&state, second)
        }
    }

    /// Looks at what comes with no sample and no event, once a minute.
    private func look(_ state: inout State, _ second: Int) -> [AlertEvent] {
        let now = clock.now
        guard state.factsAt.map({ $0.advanced(by: Self.factsInterval) <= now }) ?? true else {
            return []
        }
        state.factsAt = now
        var facts = AlertReporter.Facts()
        facts.faults = context.faults.faults
        facts.hasSureTime = context.givenTime.reading(beside: clock)?.trust.isSure ?? false
        facts.lasers = context.lasers.reports(at: now, nil)
        facts.vitals = state.vitals
        facts.isBatteryLow = context.battery.isLow
        state.vitals = nil
        return state.reporter.reports(facts, at: second).flatMap {
            state.engine.apply($0, at: second)
        }
    }

    /// Applies changes that are due by time, without a new sample or event.
    func advance() {
        settle { state, second in
            state.advancedAt = clock.now
            guard state.isOpen else { return [] }
            state.factsAt = nil
            var events = look(&state, second) + state.engine.advance(to: second)
            if let due = state.standingAt, due <= clock.now {
                events += standing(&state, second)
            }
            return events
        }
    }

    // MARK: The task

    /// Instant at which the task has to run next, if nothing comes before; nil for never.
    var nextDeadline: MonotonicInstant? {
        state.withLock { state in
            state.awaited = deadline(state)
            return state.awaited
        }
    }

    private func deadline(_ state: State) -> MonotonicInstant? {
        guard state.isOpen else { return nil }
        let due = state.engine.deadline.map { timeline.instant(of: $0) }
        let earliest = state.advancedAt.map { $0.advanced(by: Self.leastPause) }
        let next = due.map { max($0, earliest ?? $0) }
        return [next, state.standingAt].compactMap(\.self).min()
    }

    /// The zone whose hours count.
    var zone: String? { state.withLock { $0.zone } }

    func use(zone: @escaping @Sendable (Int) -> Int) {
        state.withLock { $0.zoneShift = zone }
    }

    /// Whether the machine is to be asked for its vitals; each time once.
    ///
    /// - Parameter isDue: Whether a battery has to be read now, samples or not.
    /// - Returns: Whether to ask.
    func takeVitalsWanted(isDue: Bool) -> Bool {
        state.withLock { state in
            defer { state.wantsVitals = false }
            guard state.wantsVitals || isDue else { return false }
            state.vitalsAt = clock.now
            return true
        }
    }

    func apply(_ vitals: MachineVitals) {
        state.withLock { ($0.vitals, $0.factsAt) = (vitals, nil) }
    }

    /// Returns the query that the store should answer; nil while none is needed.
    func question() -> AlertHistory.Question? {
        state.withLock { state in
            guard state.wantsPast else { return nil }
            let now = clock.now
            let reading = clock.wallReading
            let (wall, isSure) = (reading?.wall, reading?.trust.isSure ?? false)
            let isRedated = isSure && !state.wasSure && !state.engine.raised.isEmpty
            (state.wantsPast, state.hadClock, state.wasSure) = (false, wall != nil, isSure)
            return AlertHistory.Question(
                boot: context.bootID,
                now: now,
                timeline: timeline,
                shift: wall.map { timeline.shift(at: now, $0) },
                engine: state.engine,
                isSure: isSure,
                wantsEvents: !state.isOpen || isRedated,
                isRedating: state.isOpen && isRedated
            )
        }
    }

    /// Whether the clock places the past better than when it was read.
    private func isBetterDated(_ state: State) -> Bool {
        guard let reading = clock.wallReading else { return false }
        return !state.hadClock
            || !state.wasSure && reading.trust.isSure && !state.engine.raised.isEmpty
    }

    /// The store did not answer: it is to be asked again.
    func askAgain() { state.withLock { $0.wantsPast = true } }

    /// Applies the past from the store, and the samples that came since it was requested.
    func learn(_ history: AlertHistory?, since asked: MonotonicInstant) {
        let since = context.recorder.readings(since: asked)
        settle { state, second in
            if let history {
                state.engine.forgetAverages()
                for (channel, means) in history.means {
                    for mean in means {
                        state.engine.learn(
                            channel,
                            mean.value,
                            from: mean.from,
                            to: mean.to,
                            omitting: mean.omitted
                        )
                    }
                }
                for sample in SampleGroups(since).samples {
                    let at = timeline.second(of: sample[0].instant)
                    state.engine.remember(sample, at: min(at, second))
                }
            }
            guard !state.isOpen else {
                guard let history, history.isRedating else { return [] }
                // The list of the start had the ages of a clock that was not sure.
                return state.engine.redate(history.past, at: second) + standing(&state, second)
            }
            state.isOpen = true
            let events = history.map { state.engine.restore($0.past, at: second) } ?? []
            state.factsAt = nil
            return events + look(&state, second) + standing(&state, second)
        }
    }

    /// Writes down what stands, for the next process.
    func stop() {
        settle { state, second in state.isOpen ? standing(&state, second) : [] }
    }

    private func standing(_ state: inout State, _ second: Int) -> [AlertEvent] {
        state.standingAt = clock.now.advanced(by: Self.standingInterval)
        // Where nothing ever happened there is nothing that the next process could go on with.
        guard state.engine.number > 0 || !state.engine.silences.isEmpty else { return [] }
        return state.engine.standing(at: second)
    }

    // MARK: People

    /// Returns the alerts that are raised, pending and silenced now.
    func report(withRules: Bool) -> AlertsReport {
        let second = timeline.second(of: clock.now)
        let (engine, listed, isOpen) = state.withLock { ($0.engine, $0.listed, $0.isOpen) }
        let titles = state.withLock { $0.titles }
        var report = AlertReports(engine: engine, listed: listed, isReady: isOpen, now: second)
            .report(withRules: withRules)
        report.titles = titles.isEmpty ? nil : titles
        return report
    }

    /// Changes the engine for a person.
    ///
    /// - Returns: The event; nil when there is nothing to be changed, or alerts wait for the store.
    func act(_ change: (inout AlertEngine, Int) -> AlertEvent?) -> AlertEvent? {
        var made: AlertEvent?
        settle { state, second in
            guard state.isOpen else { return [] }
            made = change(&state.engine, second)
            return made.map { [$0] } ?? []
        }
        return made
    }

    // MARK: -

    /// Changes the state, and records what follows.
    private func settle(_ change: (inout State, Int) -> [AlertEvent]) {
        let now = clock.now
        let wall = clock.wallReading?.wall
        let (events, isNearer, isLeftOut) = state.withLock { state in
            let zone = state.zoneShift
            state.engine.hours = AlertHours(shift: timeline.shift(at: now, wall), zone: zone)
            let events = change(&state, timeline.second(of: now))
            let next = deadline(state)
            let isNearer = next.map { next in state.awaited.map { next < $0 } ?? true } ?? false
            let isLeftOut = !state.hasToldLeftOut && !state.engine.leftOut.isEmpty
            if isLeftOut { state.hasToldLeftOut = true }
            return (events, isNearer, isLeftOut)
        }
        for event in events { record(.alert(event), event.severity, []) }
        if isLeftOut {
            let limit = Event.Detail("limit", "\(AlertBounds.keyLimit)")
            record(.plain(.alertsLeftOut), .warning, [limit])
        }
        if isNearer { attention.raise() }
    }

    private func record(
        _ kind: EventKind,
        _ severity: Event.Severity,
        _ details: [Event.Detail]
    ) {
        context.recorder.recordSoon(
            Event(
                at: clock.now,
                source: Self.source,
                kind: kind,
                severity: severity,
                details: details
            )
        )
    }
}
