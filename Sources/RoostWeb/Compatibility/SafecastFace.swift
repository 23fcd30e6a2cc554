import Core
import HTTPTypes
import Store
import StoreQueries

/// Measurements and logs as Safecast's server has them, for maps and tools that read those.
struct SafecastFace: Sendable {
    /// Measurements of one page.
    static let pageSize = 100
    private static let pageMax = 10_000
    /// Logs at a time: each opens the history for itself.
    private static let logMax = 1

    private let seats = ExportLimiter(limit: logMax)
    private let sources: FaceSources
    private let position: FaceSettings.Position?

    init(_ sources: FaceSources, _ position: FaceSettings.Position?) {
        (self.sources, self.position) = (sources, position)
    }

    var face: Face {
        Face(
            name: .safecast,
            places: [
                Face.Place(path: "measurements.json") { try await measurements($0) },
                Face.Place(path: "logs/{name}") { try await log($0) },
            ]
        )
    }

    // MARK: Measurements

    private func measurements(_ request: WebRequest) async throws -> WebResponse {
        try request.query.allow(only: ["since", "until", "page"])
        let query = try HistoryQuery(request, ["since", "until", "page"])
        let page = try request.query.integer("page", in: 1...Self.pageMax) ?? 1
        let (since, until) = (try query.moment("since"), try query.moment("until"))
        if let since, let until, since >= until {
            throw Problem.outOfRange("since", "since has to be before until")
        }
        let position = position
        let text = try await sources.history.read { history in
            var range = TimeRange(from: since, to: until)
            if since == nil, let end = until ?? history.now {
                range.from = WallTime(seconds: end.wholeSeconds - 86_400)
            }
            return try Self.json(history, range, skipping: (page - 1) * Self.pageSize, position)
        }
        return .json(text)
    }

    private static func json(
        _ history: OpenHistory,
        _ range: TimeRange,
        skipping skipped: Int,
        _ position: FaceSettings.Position?
    ) throws -> String {
        var samples = try StoreSamples(
            history.reader,
            StoreWindow(times: history.times, range: range)
        ) { !$0.id.isImported }
        let hidden = try StoredSurvey.all(history.reader, history.times)
            .filter { $0.isPrivate && $0.range.from != nil }.map(\.range)
        var found: [SafecastMeasurement] = []
        var left = skipped
        while found.count < pageSize, let sample = try samples.next() {
            // Values that the owner keeps from uploads are not shown on a map either.
            if let wall = sample.wall, hidden.contains(where: { $0.contains(wall) }) { continue }
            for measurement in SafecastMeasurement.all(of: sample, position) {
                if left > 0 { left -= 1 } else { found.append(measurement) }
            }
        }
        var json = JSONTextBuilder()
        json.array(found.prefix(pageSize)) { json, measurement in measurement.write(&json) }
        return json.text
    }

    // MARK: Logs

    private func log(_ request: WebRequest) async throws -> WebResponse {
        try request.query.allow(only: [])
        let file = request.parameters["name"] ?? ""
        guard file.hasSuffix(".LOG"), file.count > 4 else {
            throw Problem.notFound("a log is the name of a survey and .LOG")
        }
        let name = String(file.dropLast(4))
        var choice = DriveLog.Choice()
        choice.deviceNumber = position?.deviceID ?? 0
        let (history, counter) = (sources.history, choice)
        let log = try await history.beginExport(of: nil, in: seats) { opened, seat in
            try SafecastLog(of: name, counter, opened, seat)
        }
        return WebResponse(
            headers: [.contentType: "text/plain; charset=us-ascii", .cacheControl: "no-store"],
            body: .stream { write in
                while let piece = try await history.work({ try log.next() }) {
                    try await write(piece)
                }
            }
        )
    }
}
