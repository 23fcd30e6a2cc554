import ControlProtocol
import Core
import SQLite
import Store
import StoreQueries
import Synchronization

/// A copy of the history that is made in steps, so that other questions are answered in between.
final class CopyJob: Sendable {
    /// Samples of one step.
    private static let stepSamples = 5_000

    private final class Run {
        private let history: OpenHistory
        private let target: ExportSQLite
        private var samples: StoreSamples

        init(_ history: OpenHistory, _ path: String) throws {
            self.history = history
            samples = try StoreSamples(history.reader, history.times)
            target = try ExportSQLite(path)
        }

        /// - Returns: Whether more is left.
        func step() throws -> Bool {
            var part = Part(samples: samples)
            try target.write(&part)
            samples = part.samples
            if !part.isOver { return true }
            var failure: (any Error)?
            try HistoryEvents(history.reader).each { found in
                let time = history.times.clock.time(found.boot, Tick(found.event.instant))
                do {
                    try target.write(DatedEvent(boot: found.boot, event: found.event, time: time))
                    return true
                } catch {
                    failure = error
                    return false
                }
            }
            if let failure { throw failure }
            _ = try target.finish()
            return false
        }
    }

    /// The samples of one step, and whether they were the last.
    private struct Part: SampleSource {
        var samples: StoreSamples
        var left = CopyJob.stepSamples
        var isOver = false

        init(samples: StoreSamples) { self.samples = samples }

        mutating func next() throws -> DatedSample? {
            guard left > 0 else { return nil }
            left -= 1
            let sample = try samples.next()
            isOver = sample == nil
            return sample
        }
    }

    private let run: Mutex<Run>
    private let draft: CopyJobs.Draft
    private let seat: ExportLimiter.Seat

    /// - Throws: `Problem` `store` when the file cannot be made; what the store throws.
    init(
        _ history: sending OpenHistory,
        _ draft: CopyJobs.Draft,
        _ seat: ExportLimiter.Seat
    ) throws {
        (self.draft, self.seat) = (draft, seat)
        do { run = Mutex(try Run(history, draft.path)) } catch let error as SQLiteError {
            throw Self.problem(error, draft)
        }
    }

    /// Writes some more.
    ///
    /// - Returns: Whether more is left.
    /// - Throws: `Problem`; what the store throws.
    func step() throws -> Bool {
        do {
            let hasMore = try run.withLock { try $0.step() }
            try draft.checkSize()
            return hasMore
        } catch let error as SQLiteError { throw Self.problem(error, draft) }
    }

    private static func problem(_ error: SQLiteError, _ draft: CopyJobs.Draft) -> Problem {
        Problem(.store, WebDatabaseError(error, path: draft.path).description)
    }
}
