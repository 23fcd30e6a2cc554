import ControlProtocol
import FileIO
import Glibc
import HTTPTypes
import NIOPosix
import SQLite
import Synchronization

/// The dashboard's own small database, and the one thread that may wait for the card or for Argon2.
///
/// A rollback journal with `FULL`: what was answered is on the card. The file is 0600. The journal
/// keeps its room, so that a card that has become full still takes a small change in place.
package final class WebDatabase: Sendable {
    /// Work that waits for its turn, at most; one more is refused with `busy`.
    package static let waitingMax = 8

    package let path: String
    private let pool = NIOThreadPool(numberOfThreads: 1)
    /// Bytes of the journal that are there from the start: thirty pages.
    private static let journalByteCount: off_t = 128 << 10

    private struct Open {
        var connection: Connection
        let isWritable: Bool
        /// Whether it is the older file, restored after a newer version.
        var isRestored = false
    }

    private let migrations: Migrations
    /// Whether a newer version left a file that this one cannot read, and the one from before is
    /// in use again.
    package let isRestored: Bool
    private let connection: Mutex<Open?>
    private let waiting = Atomic<Int>(0)

    /// Opens the file and brings it up to date; makes it when it is missing.
    ///
    /// - Parameter folder: Made when it is missing and its parent is there.
    /// - Throws: `WebDatabaseError`; the file stays as it was.
    package convenience init(folder: String) throws(WebDatabaseError) {
        try self.init(folder: folder, migrations: WebSchema.migrations)
    }

    /// Opens it as a version that knows these steps.
    init(folder: String, migrations: Migrations) throws(WebDatabaseError) {
        path = folder + "/web.db"
        self.migrations = migrations
        try Self.prepare(folder, path)
        let opened: Open
        do { opened = try Self.open(path, migrations) } catch {
            throw WebDatabaseError(error, path: path)
        }
        isRestored = opened.isRestored
        connection = Mutex(opened)
        pool.start()
    }

    deinit { pool.shutdownGracefully { _ in } }

    /// Runs work on the thread, one after the other.
    ///
    /// - Throws: What the work throws, as `Problem` where SQLite failed; `Problem` `busy`.
    package func run<Value: Sendable>(
        _ work: @escaping @Sendable (Connection) throws -> Value
    ) async throws -> Value {
        let before = waiting.add(1, ordering: .relaxed).oldValue
        defer { waiting.subtract(1, ordering: .relaxed) }
        guard before <= Self.waitingMax else {
            throw Problem(
                .busy,
                "\(Self.waitingMax) others wait already; try again in a few seconds",
                headers: [.retryAfter: "5"]
            )
        }
        do {
            return try await pool.runIfActive { try self.runNow(work) }
        } catch let error as SQLiteError {
            throw Problem(.store, WebDatabaseError(error, path: path).description)
        }
    }

    /// Runs work on the thread that asks: at the start, before anything is served.
    func runNow<Value: Sendable>(
        _ work: @Sendable (Connection) throws -> Value
    ) throws -> Value {
        try connection.withLock { open in
            guard let now = open else { throw Problem(.busy, "the dashboard is ending") }
            // The card may have been read-only at the start and mounted again since.
            if !now.isWritable, access(path, W_OK) == 0,
                let again = try? Self.open(path, migrations)
            {
                open = again
                return try work(again.connection)
            }
            return try work(now.connection)
        }
    }

    private static func prepare(_ folder: String, _ path: String) throws(WebDatabaseError) {
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else {
            throw WebDatabaseError.unreachable(folder, errno: errno)
        }
        // SQLite's journal takes the mode of the file.
        do { try Files.append([], to: path, mode: 0o600, allowing: .links) } catch {
            // A read-only file still lets people in who are logged in.
            guard access(path, R_OK) == 0 else {
                throw WebDatabaseError.unreachable(path, errno: error.code)
            }
        }
    }

    /// Gives the journal its room; zeros behind its end mean nothing in it.
    ///
    /// A card without room does not prevent the change: the journal then grows as needed.
    private static func keepRoom(_ journal: String) {
        let there = Files.size(journal) ?? 0
        guard there < journalByteCount else { return }
        let zeros = [UInt8](repeating: 0, count: Int(journalByteCount) - there)
        do { try Files.append(zeros, to: journal, mode: 0o600) } catch {
            truncate(journal, off_t(there))
        }
    }

    private static func open(_ path: String, _ migrations: Migrations) throws -> Open {
        let isWritable = access(path, W_OK) == 0
        let connection = try connect(path, isWritable: isWritable)
        let versions = WebDatabaseVersions(path: path, migrations: migrations)
        let pending: [String]
        do { pending = try migrations.pending(in: connection) } catch {
            guard case MigrationError.newer(_, _) = error, isWritable,
                try versions.goBack(connection)
            else { throw error }
            var opened = try open(path, migrations)
            opened.isRestored = true
            return opened
        }
        guard isWritable else { return Open(connection: connection, isWritable: false) }
        guard pending.isEmpty || pending.count == migrations.stepCount else {
            try versions.advance(connection, by: pending.count)
            return try open(path, migrations)
        }
        _ = try migrations.apply(to: connection, version: "1")
        keepRoom(path + "-journal")
        return Open(connection: connection, isWritable: true)
    }

    /// Connects to a file that is whole.
    private static func connect(_ path: String, isWritable: Bool) throws -> Connection {
        let connection = try Connection(
            path,
            mode: isWritable ? .readWrite : .readOnly,
            cacheKibibytes: 128
        )
        let findings = try connection.rows("PRAGMA quick_check(1)") {
            (row) throws(SQLiteError) in
            let words: String = try row[0]
            return words
        }
        guard findings == ["ok"] else {
            throw SQLiteError(
                code: 11,
                extendedCode: 11,
                message: findings.first ?? "it is damaged",
                sql: nil,
                path: path
            )
        }
        try connection.setPragma("foreign_keys", .integer(1))
        if isWritable {
            try connection.setJournalMode(.persist)
            try connection.setSynchronous(.full)
        }
        return connection
    }
}
