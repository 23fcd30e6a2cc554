/// One named step of a schema; once released it never changes.
package struct Migration: Sendable {
    package let name: String
    let apply: @Sendable (Connection) throws(SQLiteError) -> Void

    /// - Parameters:
    ///   - name: Unique and for ever, such as "1 streams".
    ///   - apply: Runs inside a transaction: no VACUUM, no change of journal mode or page size.
    package init(
        _ name: String,
        apply: @escaping @Sendable (Connection) throws(SQLiteError) -> Void
    ) {
        self.name = name
        self.apply = apply
    }

    /// A step in plain SQL.
    package init(_ name: String, sql: String) {
        self.init(name) { (connection) throws(SQLiteError) in
            try connection.executeScript(sql)
        }
    }
}

/// Why a database was not brought up to date.
package enum MigrationError: Error, Hashable, Sendable {
    /// A newer version has been here and applied this; open the file read-only instead.
    case newer(migration: String, path: String)
    /// The one named is missing although a later one was applied: this is not our history.
    case gap(missing: String, path: String)
}

/// The steps of a schema in their order; they lead forward only.
///
/// What was applied is kept in the table `migrations`: name, place in the order, and the version
/// that applied it.
package struct Migrations: Sendable {
    private let steps: [Migration]

    package var stepCount: Int { steps.count }

    /// Steps with different names, oldest first; new ones are added at the end.
    package init(_ steps: [Migration]) {
        precondition(Set(steps.map(\.name)).count == steps.count, "two migrations share a name")
        self.steps = steps
    }

    /// The same with more steps at the end.
    package func adding(_ more: [Migration]) -> Migrations { Migrations(steps + more) }

    /// Names of the steps that the file still lacks, in order; looks only.
    ///
    /// - Throws: `MigrationError`, so that a reader knows what it reads; `SQLiteError`.
    package func pending(in connection: Connection) throws -> [String] {
        try missing(in: connection).map(\.name)
    }

    /// Applies what is missing, each step in a transaction of its own.
    ///
    /// A power cut leaves the steps before it, and the next call goes on from there.
    ///
    /// - Parameters:
    ///   - connection: Writable and outside a transaction.
    ///   - version: Who applies them, for the record.
    /// - Returns: The names applied now.
    /// - Throws: `MigrationError`, `SQLiteError`; the steps applied before stay.
    package func apply(to connection: Connection, version: String) throws -> [String] {
        let missing = try missing(in: connection)
        for step in missing {
            try connection.transaction(.immediate) { () throws(SQLiteError) in
                try record(step, version, in: connection)
                try step.apply(connection)
            }
        }
        return missing.map(\.name)
    }

    private func record(
        _ step: Migration,
        _ version: String,
        in connection: Connection
    ) throws(SQLiteError) {
        try connection.execute(
            """
            CREATE TABLE IF NOT EXISTS migrations(
                name TEXT NOT NULL PRIMARY KEY, applied INTEGER NOT NULL, version TEXT NOT NULL
            ) WITHOUT ROWID
            """
        )
        try connection.execute(
            "INSERT INTO migrations SELECT ?, count(*) + 1, ? FROM migrations",
            step.name,
            version
        )
    }

    private func missing(in connection: Connection) throws -> ArraySlice<Migration> {
        let applied = try appliedNames(in: connection)
        let known = Set(steps.map(\.name))
        let ours = Set(applied)
        if let unknown = applied.first(where: { !known.contains($0) }) {
            // A newer version has all of our steps; an unknown name without one of them is damaged.
            if let step = steps.first(where: { !ours.contains($0.name) }) {
                throw MigrationError.gap(missing: step.name, path: connection.path)
            }
            throw MigrationError.newer(migration: unknown, path: connection.path)
        }
        if let step = steps.prefix(applied.count).first(where: { !ours.contains($0.name) }) {
            throw MigrationError.gap(missing: step.name, path: connection.path)
        }
        return steps.dropFirst(applied.count)
    }

    private func appliedNames(in connection: Connection) throws(SQLiteError) -> [String] {
        let exists: Bool? = try connection.scalar(
            "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'migrations'"
        )
        guard exists == true else { return [] }
        let sql = "SELECT name FROM migrations ORDER BY applied"
        return try connection.rows(sql) { (row) throws(SQLiteError) in
            let name: String = try row[0]
            return name
        }
    }
}
