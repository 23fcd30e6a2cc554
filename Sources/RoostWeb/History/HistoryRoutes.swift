import ControlProtocol
import Core
import HTTPTypes
import Store
import StoreQueries

/// Routes that read the history for the pages.
package struct HistoryRoutes: Sendable {
    private static let day = 86_400

    private let history: HistoryClient
    private let station: StationClient?
    private let courier: (any QuestionClient)?
    private let name: String
    private let copies: CopyJobs?
    private let zone: OwnerZone

    /// - Parameters:
    ///   - station: Knows of card and lasers; nil for a card without its station.
    ///   - courier: Knows the places of its feeds; nil for a card without its station.
    ///   - copies: Where SQLite copies are kept; nil where nothing may be written.
    package init(
        _ history: HistoryClient,
        _ station: StationClient?,
        _ courier: (any QuestionClient)? = nil,
        name: String,
        copies: CopyJobs? = nil
    ) {
        (self.history, self.station, self.name) = (history, station, name)
        self.courier = courier
        self.copies = copies
        zone = OwnerZone(station)
    }

    package var all: [Route] {
        [
            get("/api/v1/channels", channels).about(
                "All channels of the history, with units, limits and extent.",
                answers: ChannelsReport.self
            ),
            get("/api/v1/explain/{quantity}", explain).about(
                "Means of a quantity beside its guidelines.",
                answers: ExplainReport.self
            ),
            get("/api/v1/series", series).about(
                "Channels in equal steps, as columns: up to 40, and 6,000 points in all.",
                query: [.channels(atMost: SeriesView.curveMax), Self.points] + QueryKey.range,
                answers: SeriesView.self
            ),
            get("/api/v1/means", means).about(
                "Means of local hours, days, weeks, months or years.",
                query: [.channel, .choice("by", of: LocalUnit.self), .zone] + QueryKey.range,
                answers: MeansReport.self
            ),
            get("/api/v1/ledger", ledger).about(
                "Where the time of a channel went, by cause.",
                query: [Self.channels] + QueryKey.range,
                answers: LedgersReport.self
            ),
            get("/api/v1/gaps/{device}/{quantity}/{time}", gap).about(
                "Why there is no value at a time, and what to do.",
                query: [.zone],
                answers: GapReport.self
            ),
            get("/api/v1/events", events).about(
                "Events, newest first.",
                query: [
                    QueryKey("source"), .list("kind"), .list("without"), Self.severity, .cursor,
                    .limit,
                ] + QueryKey.range,
                answers: EventsPage.self
            ),
            get("/api/v1/readings", readings).about(
                "Raw readings of a channel.",
                query: [.channel, .cursor, .limit] + QueryKey.range,
                answers: StoreReadings.self
            ),
            get("/api/v1/notes", notes).about(
                "What people wrote down.",
                query: QueryKey.range,
                answers: NotesReport.self
            ),
            get("/api/v1/surveys", surveys).about(
                "Stretches of time that people named.",
                answers: SurveysReport.self
            ),
            get("/api/v1/dose", dose).about(
                "Counts of a radiation counter, their error, and the dose.",
                query: [QueryKey("channel")] + QueryKey.range,
                answers: DoseReport.self
            ),
            get("/api/v1/proof", proof).about(
                "Measured and explained time since the first sample.",
                answers: ProofReport.self
            ),
            get("/api/v1/proof/days", proofDays).about(
                "How much of each local day values cover, and why some are missing.",
                query: [.zone],
                answers: ProofDays.self
            ),
        ] + ExportRoute(history, name: name).all
            + CopyRoutes(history, copies, name: name).all
            + PlaceRoutes(history, station, courier).all
            + RulePreviewRoute(history: history, zone: zone).all
    }

    private func get(_ path: String, _ handler: @escaping Route.Handler) -> Route {
        Route(.get, path, .viewer, scope: .read, handler)
    }

    private static let channels = QueryKey.channels(atMost: SeriesView.channelMax)
    private static let points = QueryKey.whole("points", in: 1...SeriesView.pointsMax)
    private static let severity = QueryKey(
        "severity",
        .names(EventSeverity.allCases.map(\.name))
    )

    private func channels(_ request: WebRequest) async throws -> WebResponse {
        try await history.answer(request) {
            try ChannelsReport($0.reader, $0.times, levels: $0.levels)
        }
    }

    private func explain(_ request: WebRequest) async throws -> WebResponse {
        let quantity = request.parameters["quantity"] ?? ""
        return try await history.answer(request) {
            try HistoryAnswers(history: $0).explain(quantity)
        }
    }

    private func series(_ request: WebRequest) async throws -> WebResponse {
        let query = HistoryQuery(request)
        let names = try query.channels(atMost: SeriesView.curveMax)
        let points = try request.query.integer(Self.points) ?? SeriesView.standardPoints
        guard names.count * points <= SeriesView.pointsInAll else {
            throw Problem.outOfRange(
                "points",
                "\(points) points of \(names.count) channels are more than "
                    + "\(SeriesView.pointsInAll) in all"
            )
        }
        return try await history.answer(request) { history in
            try SeriesView.json(
                history,
                names,
                try query.range(history, standard: Self.day),
                points: points
            )
        }
    }

    private func means(_ request: WebRequest) async throws -> WebResponse {
        let query = HistoryQuery(request)
        let name = try query.channels(atMost: 1)[0]
        let unit = try Self.choice(LocalUnit.self, "by", request.query) ?? .day
        let zone = try await query.zone(else: zone)
        let standard = [LocalUnit.hour: Self.day, .day: 31 * Self.day][unit]
        return try await history.answer(request, depending: "-\(zone.name)") { history in
            let range = try query.range(history, standard: standard)
            return try HistoryAnswers(history: history).means(name, by: unit, in: zone, range)
        }
    }

    private func ledger(_ request: WebRequest) async throws -> WebResponse {
        let query = HistoryQuery(request)
        let names = try query.channels(atMost: SeriesView.channelMax)
        return try await history.answer(request) { history in
            let range = try query.range(history, standard: nil)
            return try LedgersReport(HistoryAnswers(history: history).ledgers(names, range))
        }
    }

    private func gap(_ request: WebRequest) async throws -> WebResponse {
        let query = HistoryQuery(request)
        let zone = try await query.zone(else: zone)
        let place = ["device", "quantity", "time"].map { request.parameters[$0] ?? "" }
        guard let moment = HistoryQuery.moment(place[2]) else {
            throw Problem.badRequest(
                "the address ends with a time such as 2026-04-14T02:00:00Z"
            )
        }
        let name = "\(place[0])/\(place[1])"
        return try await history.answer(request, depending: "-\(zone.name)") { history in
            try HistoryAnswers(history: history).gap(name, at: moment, in: zone.zone)
        }
    }

    private func events(_ request: WebRequest) async throws -> WebResponse {
        let query = HistoryQuery(request)
        var wanted = EventFilter()
        wanted.source = try request.query.one("source")
        let kinds = request.query.all("kind")
        wanted.kinds = kinds.isEmpty ? nil : Set(kinds)
        wanted.unwanted = Set(request.query.all("without"))
        wanted.least = try Self.severity(request.query)
        let limit = try request.query.integer(.limit) ?? 100
        let cursor = try request.query.one("cursor").map { text in
            guard let id = EventID(text) else { throw Self.badCursor }
            return id
        }
        let filter = wanted
        return try await history.answer(request) { history in
            var filter = filter
            filter.range = try query.range(history, standard: nil)
            let page = try StoreEvents(
                history.reader,
                history.times,
                filter,
                after: cursor,
                limit: limit
            )
            return EventsPage(page)
        }
    }

    private func notes(_ request: WebRequest) async throws -> WebResponse {
        let query = HistoryQuery(request)
        return try await history.answer(request) { history in
            let range = try query.range(history, standard: nil)
            return try NotesReport(history.reader, history.times, range)
        }
    }

    private func surveys(_ request: WebRequest) async throws -> WebResponse {
        try await history.answer(request) {
            try SurveysReport($0.reader, $0.times)
        }
    }

    private func dose(_ request: WebRequest) async throws -> WebResponse {
        let query = HistoryQuery(request)
        let name = try request.query.one("channel")
        let hasRange = query.hasRange
        return try await history.answer(request) { history in
            let range = hasRange ? try query.range(history, standard: nil) : nil
            return try HistoryAnswers(history: history).dose(name, range)
        }
    }

    private func readings(_ request: WebRequest) async throws -> WebResponse {
        let query = HistoryQuery(request)
        let name = try query.channels(atMost: 1)[0]
        let limit = try request.query.integer(.limit) ?? 100
        let cursor = try request.query.one("cursor").map { text in
            guard let place = StoreReadings.Cursor(text) else { throw Self.badCursor }
            return place
        }
        return try await history.answer(request) { history in
            let page = try StoreReadings(
                history.channel(name),
                history.reader,
                history.times,
                query.range(history, standard: Self.day),
                after: cursor,
                limit: limit
            )
            return page
        }
    }

    private func proof(_ request: WebRequest) async throws -> WebResponse {
        let name = name
        // Without its station the proof is complete but for the wear of card and lasers.
        let status: StatusReport?
        do {
            status = try await station?.ask(GetStatus())
        } catch let problem as Problem where problem.kind == .stationDown {
            status = nil
        }
        let isAway = station != nil && status == nil
        return try await history.answer(request, depending: isAway ? "-away" : "") { history in
            let proof = try ProofReport(
                history.reader,
                history.times,
                of: (name, history.now, isAway),
                usedBytes: history.folder.byteCount,
                status
            )
            return proof
        }
    }

    private func proofDays(_ request: WebRequest) async throws -> WebResponse {
        let zone = try await HistoryQuery(request).zone(else: zone)
        return try await history.answer(request, depending: "-\(zone.name)") { history in
            try ProofDays(history.reader, history.times, in: zone, now: history.now)
        }
    }

    // MARK: - Keys of a query

    private static let badCursor = Problem(
        .badRequest,
        "cursor is the next of the page before",
        places: [Problem.Place(pointer: "/cursor", detail: "is no cursor")]
    )

    private static func choice<Value: RawRepresentable<String> & CaseIterable>(
        _ type: Value.Type,
        _ key: String,
        _ query: WebQuery
    ) throws -> Value? {
        guard let text = try query.one(key) else { return nil }
        guard let value = Value(rawValue: text) else {
            let known = Value.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem.outOfRange(key, "\(key) is one of \(known), not \(text.prefix(40))")
        }
        return value
    }

    private static func severity(_ query: WebQuery) throws -> EventSeverity? {
        guard let text = try query.one("severity") else { return nil }
        guard let found = EventSeverity.allCases.first(where: { $0.name == text }) else {
            let known = EventSeverity.allCases.map(\.name).joined(separator: ", ")
            throw Problem.outOfRange(
                "severity",
                "severity is one of \(known), not \(text.prefix(40))"
            )
        }
        return found
    }
}
