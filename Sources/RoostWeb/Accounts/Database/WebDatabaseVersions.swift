import FileIO
import Glibc
import SQLite

/// Carries web.db from one version of its schema to another and back.
///
/// A newer version changes a copy and puts it in place of the file, which stays beside it as
/// `web.db.schema-N`, N being the number of its steps. A version that knows no more than those,
/// after the way back of an update, puts that one in place again and keeps the newer as
/// `web.db.newer`. A power cut at any step leaves a whole file of one of the two versions under the
/// name.
struct WebDatabaseVersions {
    let path: String
    let migrations: Migrations

    private var next: String { path + ".next" }
    private var newer: String { path + ".newer" }
    private static let mark = ".schema-"

    /// Applies the steps that a file with some of them lacks.
    ///
    /// - Parameters:
    ///   - connection: To the file; it is closed.
    /// - Throws: `MigrationError`, `SQLiteError`; the file stays as it was.
    func advance(_ connection: Connection, by count: Int) throws {
        let before = try numbers()
        do {
            try copy(connection)
            try connection.close()
            let changed = try Connection(next)
            _ = try migrations.apply(to: changed, version: "1")
            try changed.close()
            let kept = path + Self.mark + "\(migrations.stepCount - count)"
            try put(path, also: kept)
            for other in before.values where other != kept { unlink(other) }
        } catch {
            unlink(next)
            throw error
        }
    }

    /// Puts the newest file that this version can read in place of one that it cannot.
    ///
    /// - Parameter connection: To the newer file; it is closed where there is another.
    /// - Returns: Whether there was one.
    /// - Throws: `SQLiteError`; both files stay as they were.
    func goBack(_ connection: Connection) throws -> Bool {
        let known = try numbers().filter { $0.key <= migrations.stepCount }
        guard let kept = known.max(by: { $0.key < $1.key })?.value else { return false }
        do {
            try connection.close()
            let before = try Connection(kept)
            try copy(before)
            try before.close()
            let restored = try Connection(next)
            try forgetRevoked(restored)
            try restored.close()
            try put(path, also: newer)
            unlink(kept)
            return true
        } catch {
            unlink(next)
            throw error
        }
    }

    /// Carries over the revocations, and the changes of passwords and roles, of the newer version.
    private func forgetRevoked(_ connection: Connection) throws {
        try connection.setPragma("foreign_keys", .integer(1))
        try connection.execute("ATTACH ? AS newer", path)
        do {
            try connection.transaction { () throws(SQLiteError) in
                for statement in Self.revocations { try connection.execute(statement) }
            }
        } catch {
            // The newer tables differ: then only the accounts stay valid.
            for table in ["sessions", "tokens", "invitations"] {
                try connection.execute("DELETE FROM \(table)")
            }
        }
        try connection.execute("DETACH newer")
    }

    private static let revocations = [
        "DELETE FROM sessions WHERE hash NOT IN (SELECT hash FROM newer.sessions)",
        "DELETE FROM tokens WHERE id NOT IN (SELECT id FROM newer.tokens)",
        "DELETE FROM invitations WHERE hash NOT IN (SELECT hash FROM newer.invitations)",
        "DELETE FROM accounts WHERE id NOT IN (SELECT id FROM newer.accounts)",
        """
        UPDATE accounts SET password = now.password, role = now.role
        FROM newer.accounts AS now WHERE now.id = accounts.id
        """,
        // Sessions and tokens age by this count.
        """
        REPLACE INTO session_age(one, count, boot, uptime, dated, wall, dated_boot, birth, low,
            high, since)
        SELECT one, count, boot, uptime, dated, wall, dated_boot, birth, low, high, since
        FROM newer.session_age
        """,
    ]

    /// The files from before, by the number of their steps.
    private func numbers() throws -> [Int: String] {
        let folder = Files.folder(of: path)
        let start = (path.split(separator: "/").last.map(String.init) ?? "") + Self.mark
        let names: [String]
        do { names = try Files.names(in: folder) } catch { throw failure(error) }
        let pairs = names.compactMap { name -> (Int, String)? in
            guard name.hasPrefix(start), let number = Int(name.dropFirst(start.count)) else {
                return nil
            }
            return (number, "\(folder)/\(name)")
        }
        return Dictionary(pairs) { first, _ in first }
    }

    /// Copies a file to `next`, readable by its owner only.
    private func copy(_ connection: Connection) throws {
        unlink(next)
        unlink(next + "-journal")
        do { _ = try Files.open(next, from: .new, mode: 0o600) } catch { throw failure(error) }
        try connection.backup(to: next)
    }

    /// Gives the file a second name, and `next` the first one.
    private func put(_ path: String, also name: String) throws {
        unlink(name)
        guard link(path, name) == 0 else {
            throw failure(FileError(name, .system(call: "link", code: errno)))
        }
        do { try Files.publish(next, as: path) } catch { throw failure(error) }
    }

    /// Turns the error of a file into one of SQLite.
    private func failure(_ error: FileError) -> SQLiteError {
        // SQLITE_FULL, SQLITE_CANTOPEN.
        let code: Int32 = error.code == ENOSPC ? 13 : 14
        return SQLiteError(
            code: code,
            extendedCode: code,
            message: error.text,
            sql: nil,
            path: error.path
        )
    }
}
