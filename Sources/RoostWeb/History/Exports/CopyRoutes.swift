import ControlProtocol
import Core
import FileIO
import HTTPTypes
import Store
import StoreQueries

/// `/copies`: the whole history as an SQLite database to take along.
struct CopyRoutes: Sendable {
    private static let pieceBytes = 65_536

    private let history: HistoryClient
    private let jobs: CopyJobs?
    private let name: String

    init(_ history: HistoryClient, _ jobs: CopyJobs?, name: String) {
        (self.history, self.jobs, self.name) = (history, jobs, name)
    }

    var all: [Route] {
        [
            Route(.post, "/api/v1/copies", .owner) { try await make($0) }
                .about(
                    "Makes an SQLite copy of the history, kept for an hour.",
                    takes: JSONBody.Empty.self,
                    answers: CopyView.self
                ),
            Route(.get, "/api/v1/copies/{id}", .viewer, scope: .read) { try await send($0) }
                .about(
                    "An SQLite copy of the history, with ranges of bytes.",
                    headers: ByteRange.headers,
                    answers: .media(["application/vnd.sqlite3"])
                ),
        ]
    }

    private func offered() throws -> CopyJobs {
        guard let jobs else {
            throw Problem(.notOffered, "it has no folder of its own; use `roost export`")
        }
        return jobs
    }

    /// Makes one, however long it takes; the one before it goes.
    private func make(_ request: WebRequest) async throws -> WebResponse {
        let jobs = try offered()
        // The copy before it goes, which may be large.
        let draft = try await history.work { try jobs.begin() }
        let job = try await history.beginExport(of: request.identity?.account) { opened, seat in
            try CopyJob(opened, draft, seat)
        }
        while try await history.work({ try job.step() }) {}
        let copy = try await history.work { try draft.publish() }
        let end = WallTime(seconds: Int(WebClock.system.seconds() + copy.left))
        let view = CopyView(id: copy.id, bytes: copy.bytes, expires: end.iso8601)
        var response = try WebResponse.json(view, status: .created)
        response.headers[.location] = "/api/v1/copies/" + copy.id
        return response
    }

    private func send(_ request: WebRequest) async throws -> WebResponse {
        let (jobs, id) = (try offered(), request.parameters["id"] ?? "")
        guard let copy = try await history.work({ try jobs.copy(id) }) else {
            throw Problem(.gone, "a copy is kept for an hour: make a new one")
        }
        let tag = "\"\(copy.id)\""
        var headers: HTTPFields = [
            .contentType: "application/vnd.sqlite3", .cacheControl: "private, no-cache",
            .eTag: tag, .acceptRanges: "bytes",
        ]
        let file = name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }
        headers[.contentDisposition] = "attachment; filename=\"\(String(file)).db\""
        let range = ByteRange(request, tag: tag)
        guard let places = range.map({ $0.places(in: copy.bytes) }) ?? 0..<copy.bytes else {
            throw Problem.beyondEnd(copy.bytes)
        }
        if range != nil {
            let (first, last) = (places.lowerBound, places.upperBound - 1)
            headers[.contentRange] = "bytes \(first)-\(last)/\(copy.bytes)"
        }
        headers[.contentLength] = String(places.count)
        return WebResponse(
            range == nil ? .ok : .partialContent,
            headers: headers,
            body: stream(try Self.open(copy.path), places)
        )
    }

    private func stream(_ file: OpenFile, _ places: Range<Int>) -> WebResponse.Body {
        let history = history
        return .stream { write in
            var place = places.lowerBound
            while place < places.upperBound {
                let (from, count) = (place, min(Self.pieceBytes, places.upperBound - place))
                let piece = try await history.work { try Self.bytes(of: file, from, count) }
                try await write(piece)
                place += piece.count
            }
        }
    }

    /// Opens a copy, which stays readable after its name is gone.
    private static func open(_ path: String) throws(Problem) -> OpenFile {
        do { return try Files.open(path) } catch {
            throw Problem(.gone, "a copy is kept for an hour: make a new one")
        }
    }

    private static func bytes(
        of file: OpenFile,
        _ place: Int,
        _ count: Int
    ) throws(Problem) -> [UInt8] {
        let bytes = try? file.bytes(at: place, count: count)
        guard let bytes, !bytes.isEmpty else {
            throw Problem(.store, "the copy cannot be read: see dmesg")
        }
        return bytes
    }
}

/// A copy of the history that can be taken along until `expires`, ISO 8601.
struct CopyView: Codable, Sendable {
    let id: String
    let bytes: Int
    let expires: String
}
