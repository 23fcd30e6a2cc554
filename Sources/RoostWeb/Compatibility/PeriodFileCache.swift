import Core
import Logging
import SQLite
import Store
import StoreQueries
import Synchronization

/// The period files as they were found last, so that a year is looked through once.
final class PeriodFileCache: Sendable {
    private struct Known {
        var origin: Int?
        var stream: StreamID?
        var spanCount = 0
        var hours: [MinutePairs.First] = []
    }

    private let sources: FaceSources
    private let known = Mutex(Known())

    init(_ sources: FaceSources) { self.sources = sources }

    /// Answers a question from the files as they are now.
    ///
    /// - Parameter body: Runs on the history's thread; gets nil where no device has both values.
    /// - Returns: What `body` returns.
    /// - Throws: `Problem`; what `body` throws.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (PeriodFiles?, OpenHistory) throws -> Value
    ) async throws -> Value {
        try await readOrigin()
        let zone = await sources.zone()
        let (value, found) = try await sources.history.read { history in
            let files = try self.files(history, zone)
            return (try body(files, history), files?.origin)
        }
        if let found { await keep(found) }
        return value
    }

    private func files(_ history: OpenHistory, _ zone: Zone) throws -> PeriodFiles? {
        guard let now = history.now, let pairs = try MinutePairs(history.reader, history.times)
        else { return nil }
        var known = known.withLock { $0 }
        // A boot that is new, or has got a date: hours before may have been found anew.
        if known.stream != pairs.stream.id || known.spanCount != pairs.spanCount {
            known.hours = []
        }
        let files = try PeriodFiles(
            history.reader,
            pairs,
            origin: known.origin ?? pairs.extent.lowerBound,
            now: now.wholeSeconds,
            in: zone,
            known: known.hours
        )
        let (hours, spanCount) = (files.completeHours, pairs.spanCount)
        self.known.withLock { known in
            (known.stream, known.hours, known.spanCount) = (pairs.stream.id, hours, spanCount)
        }
        return files
    }

    // MARK: The first sample that ever was

    private func readOrigin() async throws {
        guard known.withLock({ $0.origin == nil }), let database = sources.database else { return }
        let stored = try await database.run { connection in
            let value: Int64? = try connection.scalar(
                "SELECT value FROM faces WHERE key = 'periods.origin'"
            )
            return value
        }
        if let stored { known.withLock { $0.origin = Int(stored) } }
    }

    /// Names of files count from it for ever, also when the ring has lost that sample.
    ///
    /// Without a working card the answer is still given: the next process tries again.
    private func keep(_ origin: Int) async {
        let isNew = known.withLock { known in
            defer { known.origin = known.origin ?? origin }
            return known.origin == nil
        }
        guard isNew, let database = sources.database else { return }
        do {
            try await database.run { connection in
                try connection.execute(
                    "INSERT OR IGNORE INTO faces(key, value) VALUES ('periods.origin', ?)",
                    Int64(origin)
                )
            }
        } catch {
            sources.logger.warning("where the period files begin is not kept: \(error)")
        }
    }
}
