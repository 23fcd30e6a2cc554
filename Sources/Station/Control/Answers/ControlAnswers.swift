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
    private let store: ControlStore

    init(station state: StationState) {
        self.state = state
        station = state.context
        clock = ControlClock(station: station)
        mutes = ControlMutes(station: station, store: state.store)
        settings = ControlSettings(station: state)
        store = ControlStore(station: station, store: state.store, clock: clock)
    }

    /// The present, for the times of what is sent.
    var present: Present { clock.present }

    /// The line that answers a request other than `live`.
    func line(for request: ControlRequest, from peer: PeerCredentials?) async throws -> String {
        switch request.command {
        case .status, .live: try ok(await fullStatus())
        case .tree: try ok(TreeReport(state.root.tree, at: station.clock.now))
        case .devices: try ok(await devices())
        case .settings: try ok(settings.report)
        case .readings: try ok { () throws(ControlFailure) in try readings(request) }
        case .events: try ok { () throws(ControlFailure) in try events(request) }
        case .tail, .cursor, .courierEvent, .cameraEvent, .cameraOn, .imports:
            try await store.line(for: request)
        case .clock: try ok(clock.report)
        case .trustClock: try await clock.trust(request, from: peer)
        case .offerTime:
            try await answer { try await clock.accept(request, by: asker(request, peer)) }
        case .hearNeighbours: try await answer { try clock.hearNeighbours(request) }
        case .doctor: try await answer { try await examine(request) }
        case .profiles: try ok(profiles.report)
        case .checkProfile: try await answer { try await profiles.check(request) }
        case .adopt, .ignore, .rename, .forget, .mute, .unmute, .configure, .remove, .record:
            try await answer {
                try await changeDevice(request, by: asker(request, peer))
                return await devices()
            }
        case .set:
            try await answer {
                try await settings.set(request, by: asker(request, peer))
                return settings.report
            }
        case .claimWindow:
            try await answer {
                try claimWindow(request, by: try await asker(request, peer))
            }
        case .alerts: try ok(state.alerts.report(withRules: true))
        case .acknowledge, .silence, .unsilence, .testAlert:
            try await answer {
                let asker = try await asker(request, peer)
                return try ControlAlerts(alerts: state.alerts).answer(request, by: asker)
            }
        case .mode, .note, .newStationID:
            try await answer {
                try await change(request, by: asker(request, peer))
                return await fullStatus()
            }
        }
    }

    private func asker(_ request: ControlRequest, _ peer: PeerCredentials?) async throws
        -> ControlAsker
    {
        try await ControlAsker(request, from: peer, on: station.platform)
    }

    /// Carries out what a person wants of the station as a whole.
    private func change(_ request: ControlRequest, by asker: ControlAsker) async throws {
        switch request.command {
        case .note:
            // A clock that may be slow calls nothing the future.
            let now = clock.wallReading.flatMap { $0.trust.isSure ? $0.wall : nil }
            try ControlNotes(station: station, now: now).write(request, by: asker)
        case .newStationID:
            try await ControlStationID(station: station, store: state.store).renew(by: asker)
        default: try await mutes.changeMode(request, by: asker)
        }
    }

    /// Reports the claim window, or closes it; no request opens it.
    private func claimWindow(
        _ request: ControlRequest,
        by asker: ControlAsker
    ) throws(ControlFailure) -> ClaimWindowReport {
        guard request.seconds ?? 0 == 0 else {
            let words = "seconds is 0, which closes the window; a held button opens it"
            throw ControlFailure(code: .badRequest, message: words)
        }
        if request.seconds != nil { station.claims.claimed(by: asker) }
        return station.claims.report()
    }

    /// Carries out what a person wants of a device.
    private func changeDevice(_ request: ControlRequest, by asker: ControlAsker) async throws {
        switch request.command {
        case .mute, .unmute: try await mutes.change(request, by: asker)
        case .configure: try await settings.configure(request, by: asker)
        case .remove: try await settings.remove(request, by: asker)
        case .record: try await settings.record(request, by: asker)
        default: try await act(request, by: asker)
        }
    }

    private var profiles: ControlProfiles {
        ControlProfiles(station: station, catalog: state.detection.catalog)
    }

    private func examine(_ request: ControlRequest) async throws -> FindingsReport {
        guard let examination = state.dependencies.examination else {
            throw ControlFailure(code: .forbidden, message: "this station has no machine to ask")
        }
        let age = Duration.seconds(min(max(request.seconds ?? 0, 0), 86_400))
        return try await examination.report(notOlderThan: age, on: station.platform)
    }

    func devices() async -> DevicesReport {
        DevicesReport(
            devices: await station.devices.reports().map { report in
                var report = settings.shown(mutes.shown(report))
                report.intervalSeconds = state.interval(of: report.name)?.inSeconds
                return report
            },
            unclaimed: state.detection.unclaimed(),
            found: state.detection.list
        )
    }

    /// Carries out a person's request for a device that was found, and records the user.
    private func act(_ request: ControlRequest, by asker: ControlAsker) async throws {
        guard let device = request.device else {
            throw ControlFailure(
                code: .badRequest,
                message: "device is a name, an identity or a port"
            )
        }
        let isOwn = state.origin(of: device) == .owner
        let (act, kind): (DetectionMachine.Act, EventKind.Plain)
        switch request.command {
        case .forget where isOwn: return try await settings.remove(request, by: asker)
        case .ignore: (act, kind) = (.ignore, .ignoreAsked)
        case .forget: (act, kind) = (.forget, .forgetAsked)
        case .rename:
            guard let name = request.name else {
                throw ControlFailure(code: .badRequest, message: "name is the new name")
            }
            if isOwn { return try await settings.rename(device, to: name, by: asker) }
            (act, kind) = (.rename(name), .renameAsked)
        default:
            (act, kind) = (.adopt(profile: request.profile, name: request.name), .adoptAsked)
        }
        do throws(DetectionRefusal) { try state.act(act, on: device) } catch {
            throw ControlFailure(code: error.code, message: error.message)
        }
        asker.record(
            kind,
            [Event.Detail("device", device)],
            at: station.clock.now,
            in: station.recorder
        )
        switch act {
        case .rename(let name): try await settings.follow(device, to: name, by: asker)
        case .forget: try await settings.follow(device, to: nil, by: asker)
        case .adopt, .ignore: break
        }
    }

    private func ok(_ body: some Codable & Sendable) throws -> String {
        try ControlCodec.line(ControlAnswer(.success(body)))
    }

    private func ok<Body: Codable & Sendable>(
        _ body: () throws(ControlFailure) -> Body
    ) throws -> String {
        try ControlCodec.line(ControlAnswer(Result(catching: body)))
    }

    private func answer<Body: Codable & Sendable>(
        _ body: () async throws -> Body
    ) async throws -> String {
        do { return try ok(await body()) } catch let failure as ControlFailure {
            return try ControlCodec.line(ControlAnswer<Body>(.failure(failure)))
        }
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
            name: configuration.shownName ?? station.name,
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
                    ageLimit: state.ageLimit(of: channel.channel.device),
                    interval: state.interval(of: channel.channel.device)
                )
                report.facts = state.facts(of: channel.channel)
                report.records = station.recording.keeps(channel.channel.device)
                return report
            },
            budget: budget(costs),
            watchdog: state.watchdogReport,
            faults: faults.map { FaultReport($0, at: now, station.clock.wallTime) }
        )
        report.board = state.boardReport
        (report.zone, report.position) = (configuration.zone, .init(configuration.position))
        report.clock = clock.report
        report.store = state.store.report(Set(faults.map(\.kind)), at: now)
        (report.lampCause, report.power) = (state.lamp.cause, station.battery.report)
        report.alerts = AlertsSummary(state.alerts.report(withRules: false).alerts)
        let health = ControlHealth(
            station: state,
            channels: station.recorder.channels,
            now: now
        )
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

    private func start(_ request: ControlRequest, _ now: MonotonicInstant) -> MonotonicInstant {
        guard let last = request.lastSeconds else { return MonotonicInstant(nanoseconds: .min) }
        let back = min(max(last, 0), 10 * 365 * 86_400)
        return now.advanced(by: .zero - .milliseconds(Int64(back * 1_000)))
    }

    private func limit(_ request: ControlRequest) -> Int {
        min(max(request.limit ?? Self.longestList, 1), Self.longestList)
    }

    private func readings(_ request: ControlRequest) throws(ControlFailure) -> ReadingsReport {
        let now = station.clock.now
        let cursor = request.from.map(ReadingCursor.init)
        if case .some(.none) = cursor { throw ControlTail.badCursor }
        let page = station.recorder.readingPage(
            from: cursor ?? nil,
            since: start(request, now),
            limit: limit(request),
            count: Self.readingsPerPage
        )
        let present = Present(now: now, reading: clock.wallReading)
        return ReadingsReport(
            readings: page.readings.map { ReadingReport($0, at: present) },
            omittedCount: page.omittedCount,
            next: page.next?.text
        )
    }

    private func events(_ request: ControlRequest) throws(ControlFailure) -> EventsReport {
        let now = station.clock.now
        let number = request.from.map { Int($0) }
        if case .some(.none) = number { throw ControlTail.badCursor }
        let page = station.recorder.eventPage(
            from: number ?? nil,
            since: start(request, now),
            limit: limit(request),
            count: Self.eventsPerPage
        )
        let present = Present(now: now, reading: clock.wallReading)
        return EventsReport(
            events: page.events.map { EventReport($0, at: present) },
            omittedCount: page.omittedCount,
            next: page.next.map { "\($0)" }
        )
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
