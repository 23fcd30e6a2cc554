import Core
import HTTPTypes
import Store
import StoreQueries

/// `/export`: the history as text, streamed, and the rest of one that broke off.
struct ExportRoute: Sendable {
    private let history: HistoryClient
    private let name: String

    init(_ history: HistoryClient, name: String) { (self.history, self.name) = (history, name) }

    var all: [Route] {
        [
            Route(.get, "/api/v1/export", .viewer, scope: .read) { try await answer($0) }
                .about(
                    "Readings as CSV, NDJSON or JSON, streamed, with ranges of bytes.",
                    query: ExportQuestion.query,
                    headers: ByteRange.headers,
                    answers: .media(["text/csv", "application/x-ndjson", "application/json"])
                )
        ]
    }

    private func answer(_ request: WebRequest) async throws -> WebResponse {
        let question = try ExportQuestion(request)
        let job = try await history.beginExport(of: Self.user(request)) { opened, seat in
            try ExportJob(opened, question, seat)
        }
        let tag = job.tag.description
        if ETag.matches(request, tag) { return ETag.notModified(tag) }
        var headers = headers(request, question, job)
        guard let range = ByteRange(request, tag: tag) else {
            return whole(job, headers)
        }
        let length = try await history.length(of: job)
        guard let places = range.places(in: length) else { throw Problem.beyondEnd(length) }
        headers[.contentRange] = "bytes \(places.lowerBound)-\(places.upperBound - 1)/\(length)"
        headers[.contentLength] = String(places.count)
        return part(job, places, headers)
    }

    /// Returns the account that holds the seat; each visitor without one counts separately.
    private static func user(_ request: WebRequest) -> Int64? {
        guard let identity = request.identity, identity.door != .open else { return nil }
        return identity.account
    }

    private func whole(_ job: ExportJob, _ headers: HTTPFields) -> WebResponse {
        let history = history
        return WebResponse(
            headers: headers,
            body: .stream { write in
                var count = 0
                while let piece = try await history.next(job) {
                    count += piece.count
                    try await write(piece)
                }
                await history.remember(count, of: job)
                job.end()
            }
        )
    }

    /// Makes the export from its start and skips the bytes before the wanted part.
    private func part(
        _ job: ExportJob,
        _ places: Range<Int>,
        _ headers: HTTPFields
    ) -> WebResponse {
        let history = history
        return WebResponse(
            .partialContent,
            headers: headers,
            body: .stream { write in
                var start = 0
                while start < places.upperBound, let piece = try await history.next(job) {
                    let first = max(0, places.lowerBound - start)
                    let last = min(piece.count, places.upperBound - start)
                    if start + last == places.upperBound { job.end() }
                    if first < last { try await write(Array(piece[first..<last])) }
                    start += piece.count
                }
            }
        )
    }

    // MARK: Headers

    private func headers(
        _ request: WebRequest,
        _ question: ExportQuestion,
        _ job: ExportJob
    ) -> HTTPFields {
        let format = question.format
        var headers: HTTPFields = [
            .contentType: Self.type(of: format), .cacheControl: "private, no-cache",
            .contentDisposition:
                "attachment; filename=\"\(fileName(question.names)).\(format.rawValue)\"",
            .eTag: job.tag.description, .acceptRanges: "bytes",
        ]
        headers[.contentLocation] = Self.location(request, question, job.range)
        return headers
    }

    private static func type(of format: TextFormat) -> String {
        switch format {
        case .csv: "text/csv; charset=utf-8; header=present"
        case .ndjson: "application/x-ndjson"
        case .json: "application/json; charset=utf-8"
        }
    }

    private func fileName(_ names: [String]) -> String {
        let text = ([name] + names).joined(separator: "-")
        return String(
            text.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == ".") ? $0 : "-" }
        )
    }

    private static func location(
        _ request: WebRequest,
        _ question: ExportQuestion,
        _ range: TimeRange
    ) -> String {
        var parts = ["format=\(question.format.rawValue)"]
        parts += question.names.map { "channel=" + PercentCoding.encoded($0) }
        parts += question.without.names.map { "without=" + $0 }
        // With tenths of a second, so that the rest has the same rows.
        for (key, wall) in [("from", range.from), ("to", range.to)] {
            if let wall { parts.append("\(key)=" + PercentCoding.encoded(wall.iso8601Tenths)) }
        }
        return request.path + "?" + parts.joined(separator: "&")
    }
}
