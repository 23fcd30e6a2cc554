import CSQLite
import Testing

@testable import SQLite

@Suite struct ConnectionTests {
    @Test func keepsNoMoreStatementsThanItsBound() throws {
        let connection = try Connection(":memory:")
        for number in 0..<100 {
            let found: Int? = try connection.scalar("SELECT \(number)")
            #expect(found == number)
        }
        var count = 0
        var statement = sqlite3_next_stmt(connection.database, nil)
        while statement != nil {
            count += 1
            statement = sqlite3_next_stmt(connection.database, statement)
        }
        #expect((1...Connection.statementCacheCountMax).contains(count))
    }

    @Test func bindsAndReadsEveryType() throws {
        let connection = try Connection(":memory:")
        try connection.execute("CREATE TABLE t(a, b, c, d, e, f, g, h)")
        let bytes: [UInt8] = [0, 255, 7]
        let none: String? = nil
        try connection.execute(
            "INSERT INTO t VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
            Int64.min,
            42,
            1.5,
            "grün\u{0}x",
            bytes,
            true,
            none,
            nil
        )
        var rowCount = 0
        try connection.query("SELECT * FROM t") { (row) throws(SQLiteError) in
            rowCount += 1
            #expect(row.value(0) == .integer(.min))
            #expect(row.value(1) == .integer(42))
            #expect(row.value(2) == .real(1.5))
            #expect(row.value(3) == .text("grün\u{0}x"))
            #expect(row.value(4) == .blob(bytes))
            let flag: Bool = try row[5]
            #expect(flag)
            #expect(row.value(6) == .null)
            #expect(row.value(7) == .null)
            #expect(row.withBytes(4) { $0.count } == 3)
        }
        #expect(rowCount == 1)
    }

    @Test func keepsEmptyTextAndEmptyBlobApartFromNull() throws {
        let connection = try Connection(":memory:")
        let empty: [UInt8] = []
        let text: String? = try connection.scalar("SELECT ?", "")
        let blob: [UInt8]? = try connection.scalar("SELECT ?", empty)
        let null: [UInt8]? = try connection.scalar("SELECT ?", nil)
        #expect(text == "")
        #expect(blob == [])
        #expect(null == nil)
    }

    @Test func refusesToReadNullAsANumber() throws {
        let connection = try Connection(":memory:")
        let error = #expect(throws: SQLiteError.self) {
            try connection.query("SELECT NULL AS dust") { (row) throws(SQLiteError) in
                let _: Int = try row[0]
            }
        }
        #expect(error?.code == SQLITE_MISMATCH)
        #expect(error?.message == "column 0 (dust) holds no Int")
    }

    @Test func namesTheStatementThatFailed() throws {
        let connection = try Connection(":memory:")
        try connection.execute("CREATE TABLE t(a UNIQUE)")
        try connection.execute("INSERT INTO t VALUES(1)")
        let error = #expect(throws: SQLiteError.self) {
            try connection.execute("INSERT INTO t VALUES(?)", 1)
        }
        #expect(error?.code == SQLITE_CONSTRAINT)
        #expect(error?.extendedCode == SQLITE_CONSTRAINT | 8 << 8)
        #expect(error?.sql == "INSERT INTO t VALUES(?)")
    }

    @Test func refusesTheWrongNumberOfArguments() throws {
        let connection = try Connection(":memory:")
        let error = #expect(throws: SQLiteError.self) { try connection.execute("SELECT ?", 1, 2) }
        #expect(error?.message == "2 arguments for 1 parameters")
    }

    @Test func runsAQueryWithinItself() throws {
        let connection = try Connection(":memory:")
        let sql = "SELECT column1 FROM (VALUES(1), (2), (3)) WHERE column1 > ?"
        var pairs: [[Int]] = []
        try connection.query(sql, 0) { (outer) throws(SQLiteError) in
            let left: Int = try outer[0]
            try connection.query(sql, left) { (inner) throws(SQLiteError) in
                pairs.append([left, try inner[0]])
            }
        }
        #expect(pairs == [[1, 2], [1, 3], [2, 3]])
    }

    @Test func outgrowsItsStatementCache() throws {
        let connection = try Connection(":memory:")
        for round in 0..<2 {
            for number in 0..<Connection.statementCacheCountMax * 2 {
                let found: Int? = try connection.scalar("SELECT \(number)")
                #expect(found == number, "round \(round)")
            }
        }
        try connection.close()
    }

    @Test func stepsThroughACursorOfItsOwn() throws {
        let connection = try Connection(":memory:")
        let statement = try connection.statement("SELECT ? + 1")
        for number in 0..<3 {
            try statement.bind(number)
            #expect(try statement.step())
            #expect(statement.row.value(0) == .integer(Int64(number + 1)))
            #expect(try !statement.step())
        }
        let error = #expect(throws: SQLiteError.self) { try connection.close() }
        #expect(error?.isBusy == true)
    }

    @Test func rollsBackWhatThrows() throws {
        let connection = try Connection(":memory:")
        try connection.execute("CREATE TABLE t(a UNIQUE)")
        #expect(throws: SQLiteError.self) {
            try connection.transaction(.deferred) { () throws(SQLiteError) in
                try connection.execute("INSERT INTO t VALUES(1)")
                try connection.execute("INSERT INTO t VALUES(1)")
            }
        }
        #expect(!connection.isInTransaction)
        let count: Int? = try connection.scalar("SELECT count(*) FROM t")
        #expect(count == 0)
        let kept = try connection.transaction { () throws(SQLiteError) in
            try connection.execute("INSERT INTO t VALUES(1)")
            return connection.changeCount
        }
        #expect(kept == 1)
    }

    @Test func wrapsErrorsOfATransactionInTheCallersOwn() throws {
        enum Refusal: Error, Equatable {
            case card(Int32)
            case mine
        }
        let connection = try Connection(":memory:")
        let error = #expect(throws: Refusal.self) {
            let wrap: (SQLiteError) -> Refusal = { .card($0.code) }
            try connection.transaction(wrapping: wrap) { () throws(Refusal) in
                throw Refusal.mine
            }
        }
        #expect(error == .mine)
        #expect(!connection.isInTransaction)
    }

    @Test func readsAndWritesBlobsInPlace() throws {
        let connection = try Connection(":memory:")
        try connection.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, slot BLOB)")
        try connection.execute("INSERT INTO t VALUES(1, zeroblob(8)), (2, zeroblob(4))")
        let blob = try connection.blob(table: "t", column: "slot", row: 1, isWritable: true)
        #expect(blob.byteCount == 8)
        try blob.write([1, 2, 3], at: 5)
        #expect(try blob.read(at: 4, count: 4) == [0, 1, 2, 3])
        #expect(throws: SQLiteError.self) { try blob.write([1, 2], at: 7) }
        #expect(throws: SQLiteError.self) { try blob.read(at: -1, count: 2) }
        try blob.reopen(at: 2)
        try blob.write([9])
        #expect(try blob.read(count: 4) == [9, 0, 0, 0])
        #expect(throws: SQLiteError.self) { try blob.reopen(at: 3) }
        try? blob.close()
        let first: [UInt8]? = try connection.scalar("SELECT slot FROM t WHERE id = 1")
        #expect(first == [0, 0, 0, 0, 0, 1, 2, 3])
        try connection.close()
    }

    @Test func endsAQueryWhenInterrupted() throws {
        let connection = try Connection(":memory:")
        let interrupter = connection.interrupter
        let endless = "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
        let error = #expect(throws: SQLiteError.self) {
            try connection.query(endless) { (row) throws(SQLiteError) in
                let number: Int = try row[0]
                if number == 1_000 { interrupter.interrupt() }
            }
        }
        #expect(error?.isInterrupted == true)
        try connection.close()
        interrupter.interrupt()
    }
}
