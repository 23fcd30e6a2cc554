import ControlProtocol
import Core
import HTTPTypes
import StoreQueries

/// Routes that read the station's program, or change it, for the pages.
package struct StationRoutes: Sendable {
    /// The station; nil for a card without one.
    private let station: StationClient?
    private let live: LiveBroadcaster?
    private let name: String
    private let zone: String
    private let isSimulated: Bool
    private let history: HistoryClient?
    private let summary: HistorySummary?
    private let known = KnownStation()
    /// The courier, for its figures; nil leaves them out.
    package var courier: (any QuestionClient)?
    /// Why changes of accounts and sessions are not kept; nil while they are.
    package var accountsTrouble: @Sendable () -> String? = { nil }
    /// The server of map pictures that an option of the program names; nil for the station's.
    package var tiles: TileServer?

    /// - Parameters:
    ///   - station: Nil for a card without its station.
    ///   - history: For means, starts and diagnostics; nil leaves them out.
    ///   - name: The station's, while it does not answer.
    ///   - zone: IANA name of its zone.
    package init(
        _ station: StationClient?,
        live: LiveBroadcaster?,
        history: HistoryClient? = nil,
        name: String,
        zone: String,
        isSimulated: Bool
    ) {
        self.station = station
        self.history = history
        summary = history.map { HistorySummary($0) }
        self.live = live
        self.name = name
        self.zone = zone
        self.isSimulated = isSimulated
    }

    package var all: [Route] {
        reading + writing + DeviceRoutes(questions: questions).all
            + PinRoutes(questions: questions).all
            + BusRoutes(questions: questions).all
            + ImportRoutes(questions: questions).all
            + SettingsRoutes(questions: questions, zone: zone, tiles: tiles).all
            + AlertRoutes(questions: questions).all
    }

    private var questions: StationQuestions { StationQuestions(station: station) }

    private var reading: [Route] {
        [
            Route(.get, "/healthz", .anyone) { _ in try await health() },
            Route(.get, "/api/v1/time", .anyone) { request in
                var report = try await ask(GetClock())
                // Names of other stations are only for people who are logged in.
                report.nearby = nil
                return .json(try ControlCodec.line(report))
            }
            .about(
                "What time it is, and by what; stations nearby ask for it.",
                answers: ClockReport.self
            ),
            Route(.get, "/api/v1/station", .viewer, scope: .read) { request in
                // A browser that trusts the station may keep it for a page without a connection.
                var answer = try await view()
                answer.headers[.cacheControl] = "private, no-cache"
                return answer
            }
            .about(
                "Verdict, latest values, faults, mode and clock of the station.",
                answers: StationView.self
            ),
            Route(.get, "/api/v1/devices", .viewer, scope: .read) { request in
                try await questions.answer(GetDevices())
            }
            .about("Devices in use, and what was found.", answers: DevicesReport.self),
            Route(.get, "/api/v1/tree", .viewer, scope: .read) { _ in
                try await questions.answer(GetTree())
            }
            .about("The supervision tree.", answers: TreeReport.self),
            Route(.get, "/api/v1/health", .viewer, scope: .read) { _ in
                try .json(await findings(notOlderThan: 3_600))
            }
            .about(
                "Faults and findings, each with its next step; starts.",
                answers: HealthView.self
            ),
            Route(.get, "/api/v1/diagnostics", .owner) { request in
                guard let station else { throw Self.notOffered }
                return .json(try await Diagnostics(station: station, history: history).json())
            }
            .about(
                "One file for someone who helps; read it before it is sent.",
                answers: DiagnosticsView.self
            ),
            Route(.get, "/api/v1/profiles", .viewer, scope: .read) { request in
                try .json(ProfilesView(try await ask(GetProfiles())))
            }
            .about(
                "Kinds of devices that the station knows, with their facts.",
                answers: ProfilesView.self
            ),
            Route(.get, "/api/v1/live", .viewer, scope: .read) { request in try follow(request) }
                .about(
                    "Readings, events and alerts as server-sent events, with resumption.",
                    headers: [Self.lastEvent],
                    answers: .media(["text/event-stream"])
                ),
            Route(.get, "/metrics", .viewer, scope: .metrics) { request in
                let status = try await ask(GetStatus())
                let format = OpenMetrics.Format(accepting: request.headers[.accept])
                let listeners = live?.listenerCount ?? 0
                var metrics = OpenMetrics(status, listeners: listeners, format: format)
                metrics.outbox = try await courier?.askIfRunning(GetCourierStatus())?.targets ?? []
                return .text(metrics.text, type: format.mediaType)
            },
            Route(.get, "/now.txt", .viewer, scope: .read) { _ in
                .text(NowText(try await ask(GetStatus())).text)
            },
        ]
    }

    private var writing: [Route] {
        [
            Route(.post, "/api/v1/actions/doctor", .owner) { request in
                try .json(await findings(notOlderThan: 60), status: .accepted)
            }
            .about(
                "Examines the machine again, at most once a minute.",
                takes: JSONBody.Empty.self,
                answers: HealthView.self
            ),
            Route(
                .post,
                "/api/v1/profiles/check",
                .viewer,
                scope: .read,
                body: .json(maxBytes: 256 << 10)
            ) { try await checkProfile($0) }
            .about(
                "All mistakes of a profile; nothing is kept of it.",
                answers: ProfileCheckView.self
            ),
            Route(.post, "/api/v1/mode", .member, scope: .write) { request in
                try await setMode(request)
            }
            .about(
                "Changes how often the station measures, or begins a survey.",
                takes: ChangeMode.self,
                answers: StationView.self,
                audit: .mode
            ),
            Route(.post, "/api/v1/time", .owner) { try await offerTime($0) }
                .about(
                    "Gives the time by this device's clock, until a better one is known.",
                    takes: OfferTime.self,
                    answers: StationView.self
                ),
            Route(.post, "/api/v1/notes", .member, scope: .write) { request in
                try await addNote(request)
            }
            .about(
                "Writes a note, at most 120 bytes.",
                takes: Note.self,
                answers: .nothing,
                audit: .note
            ),
            Route(.post, "/api/v1/dose/mark", .member, scope: .write) { request in
                try await markDose(request)
            }
            .about(
                "Has the dose of a counter counted from now on.",
                takes: Counter.self,
                answers: .nothing
            ),
            Route(.post, "/api/v1/mutes/{target*}", .member, scope: .write) {
                try await mute($0)
            }
            .about(
                "Leaves a device or channel out for a while.",
                takes: Mute.self,
                answers: DevicesReport.self,
                audit: .mute
            ),
            Route(.delete, "/api/v1/mutes/{target*}", .member, scope: .write) { request in
                let target = request.parameters["target"] ?? ""
                return try await questions.answer(UnmuteDevice(target), for: request)
            }
            .about("Ends that.", answers: DevicesReport.self, audit: .unmute),
            Route(.post, "/api/v1/found/{identity}/adopt", .owner) { request in
                try await adopt(request)
            }
            .about(
                "Uses what was found.",
                takes: Adoption.self,
                answers: DevicesReport.self,
                audit: .adopt
            ),
            Route(.post, "/api/v1/found/{identity}/ignore", .owner) { request in
                let identity = request.parameters["identity"] ?? ""
                return try await questions.answer(IgnoreDevice(identity), for: request)
            }
            .about(
                "Leaves it alone.",
                takes: JSONBody.Empty.self,
                answers: DevicesReport.self,
                audit: .ignore
            ),
        ]
    }

    // MARK: Reading

    private func health() async throws -> WebResponse {
        guard station != nil else { return .text("ok\n") }
        do {
            _ = try await ask(GetStatus())
            return .text("ok\n")
        } catch let problem as Problem where problem.kind == .stationDown {
            var response = WebResponse.text("station-down\n")
            response.status = .serviceUnavailable
            return response
        }
    }

    private func view() async throws -> WebResponse {
        var view = await stationView()
        view.accounts = accountsTrouble().map(StationView.Accounts.init)
        return try .json(view)
    }

    private func stationView() async -> StationView {
        let place = StationView.Place(name: name, zone: zone, isSimulated: isSimulated)
        guard station != nil else { return StationView(.none, at: place) }
        do {
            let status = try await ask(GetStatus())
            let devices = try await ask(GetDevices())
            let summary = await summary?.latest()
            let view = StationView(status, devices, summary ?? .init(), at: place)
            known.remember(view)
            return view
        } catch {
            // Whatever the reason: no value can be shown as fresh.
            let absence = station?.absence
            let state: StationView.Daemon.State = absence?.kind == .hung ? .hung : .down
            return known.absent(StationView(state, seconds: absence?.seconds, at: place))
        }
    }

    /// The faults, what the machine's examination found, and the starts of the program.
    private func findings(notOlderThan seconds: Double) async throws -> HealthView {
        let status = try await ask(GetStatus())
        var examined: FindingsReport?
        do {
            examined = try await ask(ExamineMachine(notOlderThan: seconds))
        } catch let problem as Problem where problem.kind == .notOffered {
            // A simulated station has no machine to examine.
        }
        var starts: StoreStarts?
        do {
            let boot = status.watchdog?.causedLastBoot == true ? status.bootID : nil
            starts = try await history?.read { history in
                StoreStarts(history.times, watchdogBoot: boot.flatMap(BootID.init))
            }
        } catch let problem as Problem where problem.kind == .store {
            // The verdict and the store's finding say that the history cannot be read.
        }
        return HealthView(status, examined, starts)
    }

    private func checkProfile(_ request: WebRequest) async throws -> WebResponse {
        let question = CheckProfile(String(decoding: request.body, as: UTF8.self))
        return try .json(ProfileCheckView(try await ask(question)))
    }

    private static let lastEvent = RequestHeader("Last-Event-ID")

    private func follow(_ request: WebRequest) throws -> WebResponse {
        guard let live else { throw Problem(.notOffered, "a card's history has nothing live") }
        guard live.listenerCount < LiveBroadcaster.listenerMax else { throw LiveBroadcaster.isFull }
        let last = try Self.lastEvent.value(in: request)
        return WebResponse(
            headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: .stream { write in
                try await live.serve(after: last, while: request.isStillAdmitted, write)
            }
        )
    }

    // MARK: Writing

    private func setMode(_ request: WebRequest) async throws -> WebResponse {
        _ = try await questions.ask(try request.decoded(ChangeMode.self), for: request)
        return try await view()
    }

    /// The clock of the owner's browser, while the station knows nothing better.
    private func offerTime(_ request: WebRequest) async throws -> WebResponse {
        _ = try await questions.ask(try request.decoded(OfferTime.self), for: request)
        return try await view()
    }

    private struct Note: Decodable {
        let text: String
        let channel: String?
        let at: String?
    }

    private func addNote(_ request: WebRequest) async throws -> WebResponse {
        let body = try request.decoded(Note.self)
        let question = WriteNote(body.text, on: body.channel, time: body.at)
        _ = try await questions.ask(question, for: request)
        return .done()
    }

    private struct Counter: Decodable { let channel: String }

    /// Starts a new dose count, as `roost dose --mark`; earlier counts stay in the history.
    private func markDose(_ request: WebRequest) async throws -> WebResponse {
        let channel = try request.decoded(Counter.self).channel
        let device = channel.split(separator: "/").first.map(String.init) ?? ""
        _ = try await questions.ask(MarkDose(device), for: request)
        return .done()
    }

    private struct Mute: Decodable { let seconds: Double? }

    private func mute(_ request: WebRequest) async throws -> WebResponse {
        let body = request.body.isEmpty ? Mute(seconds: nil) : try request.decoded(Mute.self)
        let isLong = body.seconds.map { $0 > 86_400 } ?? true
        if isLong, request.identity.map({ $0.right < .owner }) ?? true {
            throw Problem(.forbidden, "more than a day needs the owner")
        }
        let question = MuteDevice(request.parameters["target"] ?? "", seconds: body.seconds)
        return try await questions.answer(question, for: request)
    }

    private struct Adoption: Decodable {
        let profile: String?
        let name: String?
    }

    private func adopt(_ request: WebRequest) async throws -> WebResponse {
        let body =
            request.body.isEmpty
            ? Adoption(profile: nil, name: nil) : try request.decoded(Adoption.self)
        let identity = request.parameters["identity"] ?? ""
        let question = AdoptDevice(identity, profile: body.profile, name: body.name)
        return try await questions.answer(question, for: request)
    }

    // MARK: Asking

    private static let notOffered = Problem(
        .notOffered,
        "a card's history has no station that could do it"
    )

    private func ask<Asked: Question>(_ question: Asked) async throws -> Asked.Answer {
        try await questions.ask(question)
    }
}
