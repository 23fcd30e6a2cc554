import ClientSupport
import Core
import FileIO
import Glibc
import SQLite
import Store
import StoreQueries

/// `--format sqlite`: the database under another name until it is complete.
struct ExportDatabase {
    private let path: String
    private var temporary: String { path + ".part" }

    /// - Throws: `ClientFailure` when the file is there already and `isForced` is false.
    init(_ path: String, isForced: Bool) throws {
        self.path = path
        guard isForced || access(path, F_OK) != 0 else {
            let message = "\(path): is there already; name another file, or add --force"
            throw ClientFailure(message: message, exitCode: 1)
        }
    }

    /// Writes samples, then events, then gives the file its name.
    ///
    /// - Throws: `ClientFailure`; what the store says.
    func export(
        _ samples: inout some SampleSource,
        events: ((DatedEvent) throws -> Void) throws -> Void,
        _ progress: @escaping (ExportProgress) -> Void
    ) throws -> ExportProgress {
        unlink(temporary)
        do {
            let target = try ExportSQLite(temporary, progress: progress)
            try target.write(&samples)
            try events { event in try target.write(event) }
            let done = try target.finish()
            try publish()
            return done
        } catch let error as SQLiteError {
            unlink(temporary)
            let full = error.code == 13 ? "; no space left: name another place with --output" : ""
            throw ClientFailure(message: "\(path): \(error.message)\(full)", exitCode: 1)
        } catch {
            unlink(temporary)
            throw error
        }
    }

    private func publish() throws {
        do { try Files.publish(temporary, as: path) } catch {
            throw FileBytes.failure(error, "cannot be written")
        }
    }
}

extension HistoryReader {
    /// Hands on the events of a window, oldest first, dated.
    func dated(_ window: StoreWindow, _ body: (DatedEvent) throws -> Void) throws {
        var failure: (any Error)?
        try HistoryEvents(self).each { found in
            let tick = Tick(found.event.instant)
            guard window.contains(found.boot, tick) else { return true }
            let time = window.times.clock.time(found.boot, tick)
            do {
                try body(DatedEvent(boot: found.boot, event: found.event, time: time))
                return true
            } catch {
                failure = error
                return false
            }
        }
        if let failure { throw failure }
    }
}
