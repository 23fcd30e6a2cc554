import Core
import HTTPTypes
import Store
import StoreQueries

/// Folders of CSV files, as a measuring program once put them into cloud storage.
struct PeriodFace: Sendable {
    /// Minutes that one piece of a file is read with.
    private static let pieceMinutes = 1_440

    private let sources: FaceSources
    private let cache: PeriodFileCache

    init(_ sources: FaceSources, _ cache: PeriodFileCache) {
        (self.sources, self.cache) = (sources, cache)
    }

    var face: Face {
        Face(
            name: .files,
            places: [
                Face.Place(path: "{type}") { try await list($0) },
                Face.Place(path: "{type}/{name}") { request in
                    guard let period = period(request) else { return refusal(request) }
                    return try await file(request, period)
                },
            ]
        )
    }

    // MARK: The dashboard's own

    /// Files in one answer at most; the newest.
    private static let listMax = 1_000

    /// The same files with the dashboard's accounts, whatever faces are switched on.
    var pageRoutes: [Route] {
        [
            Route(.get, "/api/v1/files/{type}", .viewer) { try await listForPage($0) }
                .about(
                    "Files of 60, 1440, 10080 or 43800 minutes with PM2.5 and PM10, newest first.",
                    query: QueryKey.range,
                    answers: FilesView.self
                ),
            Route(.get, "/api/v1/files/{type}/{name}", .viewer) { request in
                var answer = try await file(request, try known(request))
                let name = request.parameters["name"] ?? ""
                answer.headers[.contentDisposition] = "attachment; filename=\"\(name)\""
                return answer
            }
            .about("One of them, as CSV.", answers: .media(["text/csv"])),
        ]
    }

    private func listForPage(_ request: WebRequest) async throws -> WebResponse {
        let query = HistoryQuery(request)
        let period = try known(request)
        let view = try await cache.read { files, history in
            let range = try query.range(history, standard: nil)
            let from = range.from?.wholeSeconds ?? .min
            let to = range.to?.wholeSeconds ?? .max
            let list = (files?.files(period) ?? [])
                .filter { $0.range.lowerBound < to && $0.range.upperBound > from }
            return FilesView(
                type: period,
                minutes: period.minutes,
                count: list.count,
                items: list.reversed().prefix(Self.listMax).map(FilesView.Item.init)
            )
        }
        return try .json(view)
    }

    private func known(_ request: WebRequest) throws -> PeriodFiles.Period {
        guard let period = period(request) else {
            let types = PeriodFiles.Period.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem.notFound("there are the files \(types)")
        }
        return period
    }

    // MARK: The face

    private func list(_ request: WebRequest) async throws -> WebResponse {
        try request.query.allow(only: ["all"])
        guard let period = period(request) else { return refusal(request) }
        let isWhole = try request.query.integer("all", in: 0...1) == 1 || period != .hourly
        let zone = await sources.zone()
        let text = try await cache.read { files, history in
            var list = files?.files(period) ?? []
            if !isWhole, let now = history.now?.wholeSeconds {
                let today = FriendlyDate(now, in: zone).day
                list = list.filter {
                    FriendlyDate($0.first.wholeSeconds, in: zone).day == today
                }
            }
            return Self.json(period, list.reversed(), zone)
        }
        return .json(text)
    }

    private static func json(
        _ period: PeriodFiles.Period,
        _ files: some Sequence<PeriodFiles.File>,
        _ zone: Zone
    ) -> String {
        var json = JSONTextBuilder()
        json.object { json in
            json.member("type", period.rawValue)
            json.array("items", files) { json, file in
                json.object { json in
                    json.member("name", file.name)
                    json.member("date", FriendlyDate(file.first.wholeSeconds, in: zone).text)
                    json.member("isComplete", file.isComplete)
                }
            }
        }
        return json.text
    }

    private func file(
        _ request: WebRequest,
        _ period: PeriodFiles.Period
    ) async throws -> WebResponse {
        try request.query.allow(only: [])
        let name = request.parameters["name"] ?? ""
        let range = try await cache.read { files, _ in
            files?.files(period).first { $0.name == name }?.range
        }
        guard let range else {
            throw Problem.notFound("there is no \(period.rawValue) file \(name.prefix(60))")
        }
        let cache = cache
        return WebResponse(
            headers: [.contentType: "text/csv; charset=utf-8", .cacheControl: "no-store"],
            body: .stream { write in
                for from in stride(
                    from: range.lowerBound,
                    to: range.upperBound,
                    by: Self.pieceMinutes * 60
                ) {
                    let to = min(from + Self.pieceMinutes * 60, range.upperBound)
                    let rows = try await cache.read { files, history in
                        try files?.rows(from..<to, history.reader) ?? []
                    }
                    if !rows.isEmpty { try await write(rows) }
                }
            }
        )
    }

    private func period(_ request: WebRequest) -> PeriodFiles.Period? {
        request.parameters["type"].flatMap { PeriodFiles.Period(rawValue: $0) }
    }

    private func refusal(_ request: WebRequest) -> WebResponse {
        let type = request.parameters["type"] ?? ""
        return Face.refusal(
            "Invalid measurement_type provided: \(type.prefix(60)). "
                + "Must be hourly, daily, weekly, or monthly."
        )
    }
}

/// A moment as a person in the station's zone reads it.
struct FriendlyDate: Hashable, Sendable {
    private static let weekdays = [
        "Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday",
    ]
    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September",
        "October", "November", "December",
    ]

    /// Days from 1970-01-01 to the date on the zone's clocks.
    let day: Int
    private let minuteOfDay: Int

    init(_ second: Int, in zone: Zone) {
        let (day, rest) = (second + zone.offset(second)).flooredDivision(by: 86_400)
        (self.day, minuteOfDay) = (day, rest / 60)
    }

    /// `Sunday 6 November 2022, 07:49`.
    var text: String {
        let date = CivilDate(daysSince1970: day)
        let weekday = Self.weekdays[day.flooredDivision(by: 7).remainder]
        let clock = [minuteOfDay / 60, minuteOfDay % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return "\(weekday) \(date.day) \(Self.months[date.month - 1]) \(date.year), "
            + clock.joined(separator: ":")
    }
}

/// `/files/{type}`: the files of a time, newest first, at most 1 000 of `count`.
private struct FilesView: Codable, Sendable {
    struct Item: Codable, Sendable {
        let name: String
        /// ISO 8601.
        let from: String
        let isComplete: Bool

        init(_ file: PeriodFiles.File) {
            (name, from, isComplete) = (file.name, file.first.iso8601, file.isComplete)
        }
    }

    let type: PeriodFiles.Period
    let minutes: Int
    let count: Int
    let items: [Item]
}
