import Alerts
import Configuration
import ControlProtocol
import Core
import HardwareIO
import Profiles
import Runtime
import Store

/// Makes the answers of the control socket out of the station's state.
struct ControlAnswers: Sendable {
    static let longestList = 10_000
    /// A reading needs some 200 bytes of a line's 64 KiB; an event of the longest kind 1 KiB.
    static let readingsPerPage = 200
    static let eventsPerPage = 50

    private let state: StationState
    private let station: StationContext
    private let clock: ControlClock
    private let mutes: ControlMutes
    private let settings: ControlSettings

    init(station state: StationState) {
        self.state = state
        station = state.context
        clock = ControlClock(station: station)
        mutes = ControlMutes(station: station, store: state.store)
        settings = ControlSettings(station: state)
    }

    // MARK: Questions

    /// Handlers of all questions.
    func table(_ rights: ControlRights) -> QuestionTable {
        var table = ControlTable(rights, station.platform)
        addReports(to: &table)
        addDevices(to: &table)
        addStation(to: &table)
        addFollowers(to: &table)
        return table.questions
    }

    private func addReports(to table: inout ControlTable) {
        let alerts = state.alerts
        table.on(GetStatus.self) { _ in await fullStatus() }
        table.on(GetTree.self) { _ in TreeReport(state.root.tree, at: station.clock.now) }
        table.on(GetDevices.self) { _ in await devices() }
        let pins = ControlPins(station: state)
        table.on(GetPins.self) { _ in try await pins.table().report }
        let takesSeconds = { @Sendable (_: TryPin) in true }
        table.questions.on(TryPin.self, mayWait: takesSeconds) { question, _ in
            try await pins.attempt(question)
        }
        table.on(GetReadings.self) { try readings($0) }
        table.on(GetEvents.self) { try events($0) }
        table.on(GetClock.self) { _ in clock.report }
        table.on(GetAlerts.self) { _ in alerts.report(withRules: true) }
        table.on(GetSettings.self) { _ in settings.report }
        table.on(GetProfiles.self) { _ in profiles.report }
        table.on(CheckProfile.self) { try await profiles.check($0.text) }
        table.on(ExamineMachine.self) { try await examine($0) }
        table.questions.onStream(FollowLive.self) { _, _, connection in
            try await stream(to: connection)
        }
    }

    private func addDevices(to table: inout ControlTable) {
        /// All devices are the answer, as they are after the change.
        func change<Asked: Question>(
            _ type: Asked.Type,
            _ apply: @escaping @Sendable (Asked, ControlAsker) async throws -> Void
        ) where Asked.Answer == DevicesReport {
            table.on(type) { question, asker in
                try await apply(question, asker)
                return await devices()
            }
        }
        change(MuteDevice.self) { try await mutes.mute($0, by: $1) }
        change(UnmuteDevice.self) { try await mutes.unmute($0.device, by: $1) }
        change(ConfigureDevice.self) { try await settings.configure($0, by: $1) }
        change(RemoveDevice.self) { try await settings.remove($0.device, by: $1) }
        change(RecordDevice.self) { try await settings.record($0, by: $1) }
        let found = ControlFound(station: state, settings: settings)
        change(AdoptDevice.self) { try await found.adopt($0, by: $1) }
        change(IgnoreDevice.self) { try await found.ignore($0.device, by: $1) }
        change(RenameDevice.self) { try await found.rename($0.device, to: $0.name, by: $1) }
        change(ForgetDevice.self) { try await found.forget($0.device, by: $1) }
        addBuses(to: &table)
    }

    /// Questions about parts on I²C; each may take seconds.
    private func addBuses(to table: inout ControlTable) {
        let (bus, platform) = (ControlBus(station: state, settings: settings), station.platform)
        table.questions.on(LookAtBuses.self, mayWait: Self.always) { _, _ in
            try await bus.look()
        }
        table.questions.on(UsePart.self, mayWait: Self.always) { question, asker in
            try await bus.use(question, by: try await ControlAsker(asker, on: platform))
        }
        table.questions.on(ForgetPart.self, mayWait: Self.always) { question, asker in
            try await bus.forget(question, by: try await ControlAsker(asker, on: platform))
        }
    }

    /// For questions whose answers take seconds.
    @Sendable private static func always(_ question: some Question) -> Bool { true }

    private func addStation(to table: inout ControlTable) {
        /// The status is the answer, as it is after the change.
        func change<Asked: Question>(
            _ type: Asked.Type,
            _ apply: @escaping @Sendable (Asked, ControlAsker) async throws -> Void
        ) where Asked.Answer == StatusReport {
            table.on(type) { question, asker in
                try await apply(question, asker)
                return await fullStatus()
            }
        }
        change(ChangeMode.self) { try await mutes.change($0, by: $1) }
        change(WriteNote.self) { try notes.write($0, by: $1) }
        change(MarkDose.self) { try notes.markDose(of: $0.device, by: $1) }
        change(RenewStationID.self) { _, asker in
            try await ControlStationID(station: station, store: state.store).renew(by: asker)
        }
        table.on(ChangeSettings.self) { question, asker in
            try await settings.set(question, by: asker)
            return settings.report
        }
        let backup = ControlBackup(station: state, settings: settings)
        table.on(BackUp.self) { _ in try await backup.part() }
        table.on(ExportSettings.self) { _ in try state.exported() }
        table.on(RestorePart.self) { try await backup.restore($0, by: $1) }
        table.on(TrustClock.self) { try clock.trust($0.time, by: $1) }
        table.on(OfferTime.self) { try clock.accept($0, by: $1) }
        table.on(HearNeighbours.self) { clock.hear($0.neighbours) }
        table.on(UseClaimWindow.self) { question, asker in
            // No question opens it.
            if question.seconds != nil { station.claims.claimed(by: asker) }
            return station.claims.report()
        }
        let alerts = ControlAlerts(alerts: state.alerts)
        table.on(AcknowledgeAlert.self) { try alerts.acknowledge($0, by: $1) }
        table.on(SilenceAlerts.self) { try alerts.silence($0.key, seconds: $0.seconds, by: $1) }
        table.on(UnsilenceAlerts.self) { try alerts.silence($0.key, seconds: 0, by: $1) }
        table.on(TestAlert.self) { question, _ in try alerts.test(question) }
        let rules = ControlRules(station: state, settings: settings)
        table.on(ChangeRule.self) { question, asker in
            try await rules.change(question, by: asker)
            return state.alerts.report(withRules: true)
        }
        table.on(SwitchRule.self) { question, asker in
            try await rules.turn(question, by: asker)
            return state.alerts.report(withRules: true)
        }
    }

    /// Questions of programs that follow the store or report on themselves.
    private func addFollowers(to table: inout ControlTable) {
        let (station, store, state) = (station, state.store, state)
        let mayWait = { @Sendable (question: GetTail) in question.waitSeconds != nil }
        table.questions.on(GetTail.self, mayWait: mayWait) { question, asker in
            // The dashboard may not wait: it could take the courier's place.
            guard !mayWait(question) || asker.user != .dashboard else {
                throw asker.refusal(of: GetTail.about.name)
            }
            return try await ControlTable.answering {
                let levels = state.configuration.levels.name
                let tail = ControlTail(station: station, levels: levels, store: store)
                return try await tail.answer(question)
            }
        }
        table.on(KeepCursor.self) { try ControlCursors(store: store).answer($0) }
        let courier = CourierEvents(.courier, station: station)
        table.on(RecordCourierEvent.self) { try courier.record($0.kind, $0.details) }
        let camera = CourierEvents(.camera, station: station)
        table.on(RecordCameraEvent.self) { try camera.record($0.kind, $0.details) }
        table.on(AnnounceCamera.self) { question in
            let length = Duration.milliseconds(Int64(question.seconds * 1_000))
            let end = length > .zero ? station.clock.now.advanced(by: length) : nil
            return CameraOnReport(lampCount: station.leds.recordCamera(until: end))
        }
        let imports = ControlImports(station: station, store: store, clock: clock)
        table.on(ImportValues.self) { try await imports.answer($0.rows) }
        let files = ControlFileImport(
            station: station,
            store: store,
            clock: clock,
            folder: state.configuration.store?.folder
        )
        table.on(SendImport.self) { question, _ in try await files.add(question) }
        let takesMinutes = { @Sendable (_: ImportSentFile) in true }
        table.questions.on(ImportSentFile.self, mayWait: takesMinutes) { question, asker in
            let asker = try await ControlAsker(asker, on: station.platform)
            return try await ControlTable.answering { try await files.run(question, by: asker) }
        }
    }

    private var notes: ControlNotes {
        // A clock that may be slow calls nothing the future.
        ControlNotes(
            station: station,
            now: clock.wallReading.flatMap { $0.trust.isSure ? $0.wall : nil }
        )
    }

    private var profiles: ControlProfiles {
        ControlProfiles(station: station, catalog: state.detection.catalog)
    }

    private func examine(_ question: ExamineMachine) async throws -> FindingsReport {
        guard let examination = state.dependencies.examination else {
            throw ControlFailure(code: .notOffered, message: "this station has no machine to ask")
        }
        let age = Duration.seconds(min(max(question.seconds ?? 0, 0), 86_400))
        return try await examination.report(notOlderThan: age, on: station.platform)
    }

    /// Sends what happens until the peer leaves.
    private func stream(to connection: any LineConnection) async throws {
        guard let feed = station.recorder.subscribe() else {
            throw ControlFailure(
                code: .busy,
                message: "as many connections listen as may; close one"
            )
        }
        defer { station.recorder.unsubscribe(feed) }
        var omitted = 0
        while !Task.isCancelled, let item = try await feed.next(on: station.clock) {
            let present = clock.present
            if feed.omittedCount > omitted {
                let count = feed.omittedCount - omitted
                omitted = feed.omittedCount
                try connection.send(ControlCodec.line(LiveItem(omittedCount: count)))
            }
            try connection.send(ControlCodec.line(LiveItem(item, at: present, station.levels)))
        }
    }

    // MARK: Reports

    func devices() async -> DevicesReport {
        let air = state.store.freshAir.facts(at: station.clock.now)
        let devices = await station.devices.reports().map { report in
            var report = settings.shown(mutes.shown(report))
            report.intervalSeconds = state.interval(of: report.name)?.inSeconds
            let more = station.neighbours.facts(of: report.name) + (air[report.name] ?? [])
            report.facts = Details(report.facts.facts + more)
            return report
        }
        var report = DevicesReport(
            devices: devices,
            unclaimed: state.detection.unclaimed(),
            found: state.detection.list
        )
        report.plugs = state.plugs(of: devices.map { ($0.name, $0.location) })
        return report
    }

    /// The status with what the drivers say of their next samples.
    private func fullStatus() async -> StatusReport {
        let devices = await station.devices.reports()
        var report = status()
        for index in report.channels.indices {
            let device = report.channels[index].channel.split(separator: "/").first ?? ""
            report.channels[index].progress = devices.first { $0.name == device }?.progress
        }
        return report
    }

    /// How the station is now.
    func status() -> StatusReport {
        let (now, costs) = (station.clock.now, station.platform.figures)
        let (faults, configuration) = (state.faults, state.configuration)
        var report = StatusReport(
            name: configuration.title ?? station.name,
            version: RoostVersion.text,
            processID: costs.processID,
            uptimeSeconds: costs.uptime.inSeconds.rounded(toDecimals: 3),
            wallTime: clock.wallReading?.wall.iso8601,
            bootID: costs.bootID,
            mode: ModeReport(station.modes.mode, at: now),
            lamp: state.lamp.state,
            channels: station.recorder.channels.map { channel in
                var report = ChannelReport(
                    channel,
                    at: now,
                    levels: station.levels,
                    ageLimit: state.ageLimit(of: channel.channel.device),
                    interval: state.interval(of: channel.channel.device)
                )
                report.facts = state.facts(of: channel.channel)
                report.records = station.recording.keeps(channel.channel.device)
                if report.latest?.quality.contains("humid") == true {
                    report.humidity = station.neighbours.humidity(of: channel.channel.device)
                }
                return report
            },
            budget: budget(costs),
            watchdog: state.watchdogReport,
            faults: faults.map { FaultReport($0, at: now, station.clock.wallTime) }
        )
        report.board = state.boardReport
        report.titles = configuration.titles.isEmpty ? nil : configuration.titles
        (report.zone, report.position) = (configuration.zone, .init(configuration.position))
        (report.clock, report.levels) = (clock.report, configuration.levels.name)
        report.findsStations = configuration.findsStations
        report.nowFirst = configuration.nowFirst?.ids
        report.nowHidden = configuration.nowHidden?.ids
        report.store = state.store.report(Set(faults.map(\.kind)), at: now)
        (report.lampCause, report.power) = (state.lamp.cause, station.battery.report)
        report.alerts = AlertsSummary(state.alerts.report(withRules: false).alerts)
        let health = ControlHealth(station: state, channels: station.recorder.channels, now: now)
        (report.progress, report.stationID) = (health.progress, state.store.stationID)
        report.health = health.report(report.faults.map(\.id))
        report.lasers = station.lasers.reports(at: now, station.clock.wallTime)
            .filter { $0.device != nil }
        return report
    }

    private func budget(_ costs: ProcessCosts) -> BudgetReport {
        let counts = station.recorder.counts
        let minutes = max(costs.uptime.inSeconds / 60, 1.0 / 60)
        var report = BudgetReport(
            wakeUps: costs.wakeUps,
            wakeUpsPerMinute: (Double(costs.wakeUps) / minutes).rounded(toDecimals: 2),
            cpuMilliseconds: (costs.cpuTime.inSeconds * 1_000).rounded(toDecimals: 3),
            voluntarySwitches: costs.voluntarySwitches,
            residentKiB: costs.residentKiB,
            privateKiB: costs.privateKiB,
            descriptorCount: costs.descriptorCount,
            threadCount: costs.threadCount,
            readingCount: counts.readings,
            eventCount: counts.events
        )
        state.budget.complete(&report, with: costs)
        return report
    }

    private func readings(_ question: GetReadings) throws(ControlFailure) -> ReadingsReport {
        let cursor = question.from.map(ReadingCursor.init)
        if case .some(.none) = cursor { throw ControlTail.badCursor }
        let present = clock.present
        let page = station.recorder.readingPage(
            from: cursor ?? nil,
            since: Self.start(question.lastSeconds, present.now),
            limit: Self.limit(question.limit),
            count: Self.readingsPerPage
        )
        return ReadingsReport(
            readings: page.readings.map { ReadingReport($0, at: present) },
            omittedCount: page.omittedCount,
            next: page.next?.text
        )
    }

    private func events(_ question: GetEvents) throws(ControlFailure) -> EventsReport {
        let number = question.from.map { Int($0) }
        if case .some(.none) = number { throw ControlTail.badCursor }
        let present = clock.present
        let page = station.recorder.eventPage(
            from: number ?? nil,
            since: Self.start(question.lastSeconds, present.now),
            limit: Self.limit(question.limit),
            count: Self.eventsPerPage
        )
        return EventsReport(
            events: page.events.map { EventReport($0, at: present) },
            omittedCount: page.omittedCount,
            next: page.next.map { "\($0)" }
        )
    }

    private static func start(_ last: Double?, _ now: MonotonicInstant) -> MonotonicInstant {
        guard let last else { return MonotonicInstant(nanoseconds: .min) }
        let back = min(max(last, 0), 10 * 365 * 86_400)
        return now.advanced(by: .zero - .milliseconds(Int64(back * 1_000)))
    }

    private static func limit(_ count: Int?) -> Int {
        min(max(count ?? longestList, 1), longestList)
    }
}

extension TreeReport {
    /// The snapshot as it is shown.
    fileprivate init(_ snapshot: ChildSnapshot, at now: MonotonicInstant) {
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
