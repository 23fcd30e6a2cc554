import ControlProtocol
import Core
import HTTPTypes
import Store
import StoreQueries

/// Routes for the station's place, and for measurements around it with their sources.
struct PlaceRoutes: Sendable {
    private static let day = 86_400
    /// Time for a search of the network and for slow stations' answers.
    private static let searchLimit = Duration.seconds(15)
    private static let kind = QueryKey.list("kind", of: .names(SiteKind.allCases.map(\.rawValue)))
    private static let clusterDays = ClusterTable.standardDays

    private let history: HistoryClient
    private let questions: StationQuestions
    /// The courier; nil for a card without its station.
    private let courier: (any QuestionClient)?

    /// - Parameters:
    ///   - station: Knows its position; nil for a card without its station.
    ///   - courier: Knows the places of feeds.
    init(_ history: HistoryClient, _ station: StationClient?, _ courier: (any QuestionClient)?) {
        (self.history, self.courier) = (history, courier)
        questions = StationQuestions(station: station)
    }

    var all: [Route] {
        [
            Route(.get, "/api/v1/sites", .viewer, scope: .read) { try await sites($0) }
                .about(
                    "Own position, and what regions, stations and peers measured.",
                    query: QueryKey.range + [Self.kind],
                    answers: SitesReport.self
                ),
            Route(.get, "/api/v1/stations", .viewer, scope: .read) { request in
                let report = try await courier?.askIfRunning(
                    FindStations(),
                    within: Self.searchLimit
                )
                return .json(try ControlCodec.line(report ?? StationsReport(.noCourier)))
            }
            .about(
                "The owner's other stations, each with its verdict.",
                answers: StationsReport.self
            ),
            Route(.get, "/api/v1/clusters/{quantity}", .viewer, scope: .read) {
                try await clusters($0)
            }
            .about(
                "Means by place: measurements within 200 m of their centre are one.",
                query: QueryKey.range,
                answers: ClustersReport.self
            ),
        ]
    }

    /// Asks for the station's status; nil while it does not answer, as its history goes on.
    private func status() async throws -> StatusReport? {
        guard questions.station != nil else { return nil }
        do {
            return try await questions.ask(GetStatus())
        } catch let problem as Problem where problem.kind == .stationDown {
            return nil
        }
    }

    private func sites(_ request: WebRequest) async throws -> WebResponse {
        let query = HistoryQuery(request)
        let kinds = try Self.kinds(query.query.all("kind"))
        let status = try await status()
        let feeds = try await courier?.askIfRunning(GetCourierStatus())?.feeds ?? []
        let located = feeds.flatMap { $0.places ?? [] }.map { "\($0.series)\($0.latitude)" }
        let own = "\(status?.name ?? "")-\(Self.text(status?.position))"
        let state = "-\(own)-\(located.joined(separator: ","))"
        return try await history.answer(request, depending: state) { history in
            let range = try query.range(history, standard: Self.day)
            guard !SiteTable.isTooLong(range, history.now) else {
                throw Problem.outOfRange("from", "sites takes \(SiteTable.daysMax) days at most")
            }
            let table = try SiteTable(history.reader, history.times, range, feeds: feeds)
            return SitesReport(table, kinds, range, status)
        }
    }

    /// Returns the kinds of these names; all kinds for no names.
    private static func kinds(_ names: [String]) throws -> Set<SiteKind> {
        guard !names.isEmpty else { return Set(SiteKind.allCases) }
        return Set(
            try names.map { name in
                if let kind = SiteKind(rawValue: name) { return kind }
                let known = SiteKind.allCases.map(\.rawValue).joined(separator: ", ")
                throw Problem.outOfRange("kind", "kind is one of \(known), not \(name.prefix(40))")
            }
        )
    }

    private static func text(_ position: PositionReport?) -> String {
        position.map { "\($0.latitude),\($0.longitude)" } ?? ""
    }

    private func clusters(_ request: WebRequest) async throws -> WebResponse {
        let query = HistoryQuery(request)
        let quantity = request.parameters["quantity"] ?? ""
        let own = try await status()?.position
        // A person who holds the card may read all of it.
        let isOwner = request.identity?.right == .owner || questions.station == nil
        let state = "-\(Self.text(own))-\(isOwner)"
        return try await history.answer(request, depending: state) { history in
            let range = try query.range(history, standard: Self.clusterDays * Self.day)
            if !isOwner { try Self.checkFortnight(range, history.now) }
            let table = try ClusterTable(history.reader, history.times, quantity, range, own)
            return ClustersReport(table, quantity, range)
        }
    }

    /// Checks the range for visitors other than the owner: 14 days at most, none of them older.
    ///
    /// Days of a zone that sets its clocks back have an hour more.
    static func checkFortnight(_ range: TimeRange, _ now: WallTime?) throws {
        let longest = Int64(clusterDays * day + 3_600) * 10
        guard let from = range.from, let now else {
            throw Problem.outOfRange("from", "name the first day; owners may leave it out")
        }
        guard (range.to ?? now).tenths - from.tenths <= longest else {
            throw Problem.outOfRange("to", "\(clusterDays) days at most; owners may see more")
        }
        guard now.tenths - from.tenths <= longest else {
            throw Problem.outOfRange(
                "from",
                "the last \(clusterDays) days alone; owners may see earlier ones"
            )
        }
    }
}
