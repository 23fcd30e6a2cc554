import ClientSupport
import Core
import FileIO
import Glibc
import Store
import StoreQueries

/// The history as a database beside a backup, as `roost import` reads it.
///
/// A backup is one text that each program reads whole, 1 MiB at most; a history has gigabytes.
struct HistoryBeside {
    /// The new database: `home.backup` has `home-history.db`.
    let path: String

    /// - Throws: `ClientFailure` when it is there already.
    init(beside backup: String) throws {
        let ending = ".backup"
        let base = backup.hasSuffix(ending) ? String(backup.dropLast(ending.count)) : backup
        path = base + "-history.db"
        guard access(path, F_OK) != 0 else {
            throw ClientFailure(message: "\(path): is there already; move it away", exitCode: 1)
        }
    }

    /// Writes all samples and events, and says on standard error how far it is.
    ///
    /// - Throws: `ClientFailure`, also when the disk is full; then no file is left.
    func write(socket: String?) throws -> ExportProgress {
        let source = try StoreSource(folder: nil, socket: socket)
        return try withStore(source.folder) {
            let times = try StoreTimes(source.reader, now: source.now)
            say(source.folder)
            let window = StoreWindow(times: times, range: TimeRange())
            var samples = try StoreSamples(source.reader, window) { _ in true }
            let line = try ProgressLine()
            defer { line.finish() }
            let database = try ExportDatabase(path, isForced: false)
            return try database.export(&samples, events: { try source.reader.dated(window, $0) }) {
                line.show("history: \($0.samples) samples, \(StoreText.bytes(Double($0.bytes)))")
            }
        }
    }

    /// Says how large the history is before it is written.
    private func say(_ store: StoreFolder) {
        let size = StoreText.bytes(Double(Files.size(store.historyPath) ?? 0))
        Output.error("the history, \(size) on the card, goes into \(path), without encryption")
    }
}
