import Core
import SQLite

/// An import in pieces, for a station that measures meanwhile: each piece is kept at once.
///
/// Between two pieces others may write into the history. An import that breaks off leaves the
/// pieces before it; the same samples again are known then.
package final class HistoryImportRun {
    /// Samples of one piece, at most: a transaction of some milliseconds and one sync.
    package static let pieceCountMax = 512

    /// What the piece before has counted.
    private var before: HistoryImport?

    package init() {}

    /// Samples that were imported so far.
    package var count: Int { before?.sampleCount ?? 0 }

    /// Imports samples of any sources, all or none of them.
    ///
    /// - Throws: `ImportError`, `StoreError.database`.
    package func add(_ samples: [ImportedSample], to history: History) throws {
        precondition(samples.count <= Self.pieceCountMax, "a piece is short")
        guard !history.isReadOnly else { throw ImportError.readOnly }
        guard try history.hasRoomInLog(isUrgent: true) else {
            throw StoreError.database(history.connection.isHeld)
        }
        defer { for slots in history.rings.values { slots.rest() } }
        before = try history.connection.transaction(
            .immediate,
            wrapping: Self.failure
        ) { () throws(any Error) in
            // Read now: the journal may have gone into the history since the piece before.
            let cursor = try HistoryCatalog(connection: history.connection).number("cursor")
            let piece = try HistoryImport(
                history.connection,
                history.rings,
                cursor: cursor,
                after: before
            )
            try piece.add(samples)
            for slots in history.rings.values { slots.rest() }
            return piece
        }
    }

    private static func failure(_ error: SQLiteError) -> any Error { StoreError.database(error) }

    /// The effect so far.
    package func report() throws(StoreError) -> HistoryImportReport {
        try before?.report() ?? HistoryImportReport()
    }
}

extension Connection {
    /// SQLITE_BUSY (5): a reader keeps the log from being copied into the file.
    fileprivate var isHeld: SQLiteError {
        SQLiteError(
            code: 5,
            extendedCode: 5,
            message: "another program has been reading the history for too long",
            sql: nil,
            path: path
        )
    }
}
