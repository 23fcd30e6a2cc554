import Core
import SQLite

extension History {
    /// What becomes of an import when its closure is done.
    package enum ImportOutcome: Hashable, Sendable {
        case keep
        /// Leaves the history as it was: a dry run, or too much that would go.
        case discard
    }

    private struct Discarded: Error {}

    private static func failure(_ error: SQLiteError) -> any Error { StoreError.database(error) }

    /// Writes samples of other programs, all or none of them.
    ///
    /// In one transaction, so that neither an error nor a power cut leaves half an import. Until it
    /// ends, written pages are in the write-ahead log beside the file, at most as long as the
    /// import. The station must not run: its own samples would wait in the journal meanwhile.
    ///
    /// - Parameter body: Adds samples and says whether they stay.
    /// - Returns: What `body` made of it.
    /// - Throws: What `body` throws; `ImportError.readOnly`; `StoreError.database`, with
    ///   SQLITE_BUSY (5) when another process has the history open.
    package func importing<Value>(
        _ body: (HistoryImport) throws -> (value: Value, outcome: ImportOutcome)
    ) throws -> Value {
        guard !isReadOnly else { throw ImportError.readOnly }
        defer { for slots in rings.values { slots.rest() } }
        var value: Value?
        do {
            // In this mode a transaction begins only when no other process has the file open: a
            // station of an older version, that knows no lock, is found as well.
            try connection.setPragma("locking_mode", .text("EXCLUSIVE"))
            try connection.transaction(
                .immediate,
                wrapping: Self.failure
            ) { () throws(any Error) in
                // Read now: another process may have written since this was opened.
                let cursor = try HistoryCatalog(connection: connection).number("cursor")
                let session = try HistoryImport(connection, rings, cursor: cursor)
                let (made, outcome) = try body(session)
                for slots in rings.values { slots.rest() }
                value = made
                if outcome == .discard { throw Discarded() }
            }
        } catch let error as SQLiteError {
            throw StoreError.database(error)
        } catch is Discarded {}
        guard let value else { preconditionFailure("the body ran to its end") }
        return value
    }
}
