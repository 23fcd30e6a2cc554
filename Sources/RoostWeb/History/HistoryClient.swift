import ControlProtocol
import HTTPTypes
import Logging
import NIOCore
import NIOPosix
import Store
import StoreQueries
import Synchronization

/// Reads the station's history on one thread of its own, so that requests do not block the loop.
///
/// The history is opened again `freshSeconds` after the last time: first the station's newest
/// records are read, then the history, so that every sample is in one of the two.
package actor HistoryClient {
    /// Seconds that one snapshot of the history is used.
    static let freshSeconds: Int64 = 2
    /// Answers in the cache: a page that is opened again reads nothing.
    private static let answerMax = 16
    private static let answerBytesMax = 256 << 10
    /// Exports at a time.
    static let exportMax = 2
    /// Exports whose lengths are remembered.
    private static let lengthMax = 16

    private let station: StationClient?
    private let logger: Logger
    private let pool = NIOThreadPool(numberOfThreads: 1)
    private let cache = HistoryCache()
    private var folder: StoreFolder
    private var freshUntil = NIODeadline.uptimeNanoseconds(0)
    private var isOpening = false
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var failure: (any Error)?
    private var generation = ""
    private var answers: [(tag: String, body: String)] = []
    private let seats = ExportLimiter(limit: exportMax)
    private var lengths: [(tag: ExportTag, bytes: Int)] = []

    /// A client that has read nothing yet.
    ///
    /// - Parameters:
    ///   - station: Whose history; nil for a card without its station.
    ///   - folder: The store while no station names it.
    ///   - logger: Says what cannot be read.
    package init(_ station: StationClient?, folder: String, logger: Logger) {
        self.station = station
        self.folder = StoreFolder(path: folder)
        self.logger = logger
        pool.start()
    }

    /// Answers a question from the history as it is now.
    ///
    /// - Parameter body: Runs on the history's thread.
    /// - Returns: What `body` returns.
    /// - Throws: `Problem` `store` when the history cannot be read; what `body` throws.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (OpenHistory) throws -> Value
    ) async throws -> Value {
        try await refresh()
        return try await onThread(body)
    }

    /// Answers with JSON, or with 304 when the client has it already.
    ///
    /// - Parameters:
    ///   - state: What the answer depends on besides the history and the request.
    ///   - make: Runs on the history's thread.
    /// - Returns: The answer with its tag.
    /// - Throws: `Problem` `store` when the history cannot be read; what `make` throws.
    func answer(
        _ request: WebRequest,
        depending state: String = "",
        _ make: @escaping @Sendable (OpenHistory) throws -> String
    ) async throws -> WebResponse {
        try await refresh()
        let tag = ETag.weak(generation + state, request)
        if ETag.matches(request, tag) { return ETag.notModified(tag) }
        if let known = answers.first(where: { $0.tag == tag }) {
            return ETag.json(known.body, tag)
        }
        let text = try await onThread(make)
        if text.utf8.count <= Self.answerBytesMax {
            if answers.count >= Self.answerMax { answers.removeFirst() }
            answers.append((tag, text))
        }
        return ETag.json(text, tag)
    }

    /// The same for an answer that is a type.
    func answer<Answer: Encodable & Sendable>(
        _ request: WebRequest,
        depending state: String = "",
        _ make: @escaping @Sendable (OpenHistory) throws -> Answer
    ) async throws -> WebResponse {
        try await answer(request, depending: state) { try ControlCodec.line(make($0)) }
    }

    /// Begins an export, which has a reader of its own for as long as it lasts.
    ///
    /// - Parameters:
    ///   - user: Who asks; nil without an account.
    ///   - make: Runs on the history's thread.
    /// - Returns: The export at its beginning.
    /// - Throws: `Problem` `busy` while there are enough; what `make` throws.
    func beginExport<Job: Sendable>(
        of user: Int64?,
        _ make: @escaping @Sendable (sending OpenHistory, ExportLimiter.Seat) throws -> Job
    ) async throws -> Job {
        let transfer = ExportLimiter.Transfer(try seats.reserve(user))
        let tail = try await stationTail()
        let (folder, note) = (folder, noting)
        return try await run {
            guard let seat = transfer.receive() else { throw CancellationError() }
            return try make(try OpenHistory(folder, tail, tell: note), seat)
        }
    }

    /// The next piece of an export; nil at its end.
    func next(_ job: ExportJob) async throws -> [UInt8]? { try await run { try job.next() } }

    /// Returns the length of an export in bytes, and rewinds it.
    ///
    /// The whole export is made for that, unless an equal one was counted before.
    func length(of job: ExportJob) async throws -> Int {
        if let known = lengths.first(where: { $0.tag == job.tag }) { return known.bytes }
        var bytes = 0
        while let piece = try await next(job) { bytes += piece.count }
        try await run { try job.rewind() }
        remember(bytes, of: job)
        return bytes
    }

    /// Remembers how many bytes an export had.
    func remember(_ bytes: Int, of job: ExportJob) {
        lengths.removeAll { $0.tag == job.tag }
        if lengths.count >= Self.lengthMax { lengths.removeFirst() }
        lengths.append((job.tag, bytes))
    }

    /// Runs work that may wait for the card.
    func work<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await run(body)
    }

    // MARK: - Opening

    private func refresh() async throws {
        if NIODeadline.now() < freshUntil {
            if let failure { throw failure }
            return
        }
        guard !isOpening else {
            await withCheckedContinuation { waiting.append($0) }
            if let failure { throw failure }
            return
        }
        isOpening = true
        failure = nil
        do { try await open() } catch { failure = error }
        freshUntil = .now() + .seconds(Self.freshSeconds)
        isOpening = false
        for waiter in waiting { waiter.resume() }
        waiting = []
        if let failure { throw failure }
    }

    private func open() async throws {
        let tail = try await stationTail()
        let (folder, note, old) = (folder, noting, generation)
        generation = try await run { [cache] in
            try cache.opened.withLock { opened in
                // A card without a station changes only when its files do.
                if tail == nil, opened != nil,
                    OpenHistory.generation(of: folder, nil) == old
                {
                    return old
                }
                opened = nil
                let history = try OpenHistory(folder, tail, tell: note)
                opened = history
                return history.generation
            }
        }
    }

    /// Reads the station's records that are not in the history yet.
    ///
    /// Returns nil without a station, and when it uses another store.
    private func stationTail() async throws -> StationTail? {
        guard let station else { return nil }
        do {
            let tail = try await StationTail { try await station.ask($0) }
            guard let path = tail.folder else {
                throw Problem(.store, "the station has no store open; see Health")
            }
            folder = StoreFolder(path: path)
            return tail
        } catch let problem as Problem where problem.kind == .stationDown {
            return nil
        } catch let failure as ControlFailure {
            // Health and the summary go on without a history that cannot be read.
            throw Problem(failure)
        }
    }

    private nonisolated var noting: @Sendable (String) -> Void {
        { [logger] text in logger.warning("\(text)") }
    }

    private func onThread<Value: Sendable>(
        _ body: @escaping @Sendable (OpenHistory) throws -> Value
    ) async throws -> Value {
        try await run { [cache] in
            try cache.opened.withLock { opened in
                guard let opened else { throw Problem(.store, "the history is not open") }
                return try opened.folder.reading { try body(opened) }
            }
        }
    }

    private func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        do { return try await pool.runIfActive(body) } catch let error as StoreUnreadable {
            throw Problem(.store, error.message)
        }
    }
}

/// Holder of the open history; used on its thread only.
private final class HistoryCache: Sendable {
    let opened = Mutex<OpenHistory?>(nil)
}
