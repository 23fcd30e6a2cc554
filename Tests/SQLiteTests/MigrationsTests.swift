import Testing

@testable import SQLite

@Suite struct MigrationsTests {
    private static let first = Migration("1 streams", sql: "CREATE TABLE a(x); CREATE TABLE b(x)")
    private static let second = Migration("2 rollups", sql: "ALTER TABLE a ADD COLUMN y")
    private static let failing = Migration("3 typo") { (connection) throws(SQLiteError) in
        try connection.execute("CREATE TABLE c(x)")
        try connection.execute("CREATE TABEL d(x)")
    }

    @Test func appliesWhatIsMissingOnceAndInOrder() throws {
        let connection = try Connection(":memory:")
        let one = Migrations([Self.first])
        let two = Migrations([Self.first, Self.second])
        #expect(try two.pending(in: connection) == ["1 streams", "2 rollups"])
        #expect(try one.apply(to: connection, version: "1.0") == ["1 streams"])
        #expect(try two.apply(to: connection, version: "1.1") == ["2 rollups"])
        #expect(try two.apply(to: connection, version: "1.2") == [])
        let rows = try connection.rows("SELECT * FROM migrations ORDER BY applied") {
            (row) throws(SQLiteError) in
            [row.value(0), row.value(1), row.value(2)]
        }
        #expect(
            rows == [
                [.text("1 streams"), .integer(1), .text("1.0")],
                [.text("2 rollups"), .integer(2), .text("1.1")],
            ]
        )
    }

    @Test func namesANewerMigration() throws {
        let connection = try Connection(":memory:")
        _ = try Migrations([Self.first, Self.second]).apply(to: connection, version: "2")
        let error = #expect(throws: MigrationError.self) {
            try Migrations([Self.first]).apply(to: connection, version: "1")
        }
        #expect(error == .newer(migration: "2 rollups", path: ":memory:"))
    }

    @Test func refusesAHistoryWithAGap() throws {
        let connection = try Connection(":memory:")
        _ = try Migrations([Self.first]).apply(to: connection, version: "1")
        let error = #expect(throws: MigrationError.self) {
            try Migrations([Self.second, Self.first]).pending(in: connection)
        }
        #expect(error == .gap(missing: "2 rollups", path: ":memory:"))
    }

    @Test func leavesNothingOfAStepThatFailed() throws {
        let connection = try Connection(":memory:")
        let all = Migrations([Self.first, Self.failing])
        #expect(throws: SQLiteError.self) { try all.apply(to: connection, version: "1") }
        #expect(try all.pending(in: connection) == ["3 typo"])
        let tables = "SELECT group_concat(name) FROM (SELECT name FROM sqlite_schema ORDER BY name)"
        let names: String? = try connection.scalar(tables)
        #expect(names == "a,b,migrations")
    }
}
