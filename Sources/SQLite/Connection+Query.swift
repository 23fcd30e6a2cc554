import CSQLite

extension Connection {
    /// Runs one statement to its end; rows it returns are dropped.
    package func execute(
        _ sql: String,
        _ arguments: (any SQLiteConvertible)?...
    ) throws(SQLiteError) {
        try run(sql, arguments) { (_) throws(SQLiteError) in true }
    }

    /// Runs several statements, separated by semicolons, without arguments.
    package func executeScript(_ sql: String) throws(SQLiteError) {
        let code = sqlite3_exec(database, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw error(code, sql: sql) }
    }

    /// Hands each row to the closure as it is read, in constant memory.
    package func query(
        _ sql: String,
        _ arguments: (any SQLiteConvertible)?...,
        row: (Row) throws(SQLiteError) -> Void
    ) throws(SQLiteError) {
        try run(sql, arguments) { (found) throws(SQLiteError) in
            try row(found)
            return true
        }
    }

    /// The rows, each turned into a value.
    package func rows<Value>(
        _ sql: String,
        _ arguments: (any SQLiteConvertible)?...,
        as convert: (Row) throws(SQLiteError) -> Value
    ) throws(SQLiteError) -> [Value] {
        var values: [Value] = []
        try run(sql, arguments) { (found) throws(SQLiteError) in
            values.append(try convert(found))
            return true
        }
        return values
    }

    /// The first column of the first row; nil when there is no row or it is NULL.
    package func scalar<Value: SQLiteConvertible>(
        _ sql: String,
        _ arguments: (any SQLiteConvertible)?...
    ) throws(SQLiteError) -> Value? {
        var value: Value?
        try run(sql, arguments) { (found) throws(SQLiteError) in
            value = try found.optional(0)
            return false
        }
        return value
    }

    /// Steps until the closure returns false or the rows end.
    private func run(
        _ sql: String,
        _ arguments: [(any SQLiteConvertible)?],
        _ row: (Row) throws(SQLiteError) -> Bool
    ) throws(SQLiteError) {
        let statement = try cached(sql)
        defer { statement.clear() }
        try statement.bind(arguments)
        while try statement.step() {
            guard try row(statement.row) else { return }
        }
    }

    /// Runs the closure in a transaction: commits when it returns, rolls back when it throws.
    ///
    /// One inside another is a programmer's mistake and traps.
    ///
    /// - Throws: What the closure throws, or what BEGIN or COMMIT say. After a failed COMMIT
    ///   nothing of the transaction is kept.
    package func transaction<Result>(
        _ kind: TransactionKind = .immediate,
        _ body: () throws(SQLiteError) -> Result
    ) throws(SQLiteError) -> Result {
        try transaction(kind, wrapping: { $0 }, body)
    }

    /// A transaction whose closure throws an error of its own kind.
    ///
    /// `wrap` makes an error of that kind of what SQLite says to BEGIN and COMMIT.
    package func transaction<Result, Failure: Error>(
        _ kind: TransactionKind = .immediate,
        wrapping wrap: (SQLiteError) -> Failure,
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        precondition(!isInTransaction, "a transaction is open already")
        do { try execute("BEGIN \(kind.rawValue)") } catch { throw wrap(error) }
        // SQLite ends the transaction by itself after some errors, a full disk for one. Should the
        // ROLLBACK fail, the next opening rolls back; the first error is the one to throw.
        defer { if isInTransaction { try? execute("ROLLBACK") } }
        let result = try body()
        do { try execute("COMMIT") } catch { throw wrap(error) }
        return result
    }
}
