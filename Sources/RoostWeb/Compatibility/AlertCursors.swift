import Logging
import SQLite
import Synchronization

/// The position up to which a client of the alert face has seen the record.
struct AlertCursor: Hashable, Sendable {
    /// Seconds since 1970: rows before it were checked.
    var judgedTo: Int
    /// The end of the last complete file; this much is kept on the card.
    var completeTo: Int
    /// Whether a file was ever skipped.
    var hasSkipped: Bool

    init(judgedTo: Int, completeTo: Int = .min, hasSkipped: Bool = false) {
        (self.judgedTo, self.completeTo, self.hasSkipped) = (judgedTo, completeTo, hasSkipped)
    }
}

/// The cursors of all clients, written when a file completes.
final class AlertCursors: Sendable {
    /// Clients that are remembered.
    ///
    /// A further one is answered as if new, until one of these has not asked for `idleSeconds`.
    static let clientMax = 16
    private static let idleSeconds = 30 * 86_400

    private struct State {
        var isLoaded = false
        var cursors: [String: AlertCursor] = [:]
        var hasRefused = false
        /// The cursors on the card.
        var kept: [String: AlertCursor] = [:]
    }

    private let database: WebDatabase?
    private let logger: Logger
    private let state = Mutex(State())

    init(_ database: WebDatabase?, _ logger: Logger) {
        (self.database, self.logger) = (database, logger)
    }

    subscript(client: String) -> AlertCursor? { state.withLock { $0.cursors[client] } }

    /// Keeps how far a client has seen, if there is a place for it.
    func remember(_ client: String, _ cursor: AlertCursor) {
        let isNewlyRefused = state.withLock { state in
            if state.cursors[client] == nil, state.cursors.count >= Self.clientMax {
                let oldest = state.cursors.min { $0.value.judgedTo < $1.value.judgedTo }
                guard let oldest, oldest.value.judgedTo <= cursor.judgedTo - Self.idleSeconds else {
                    defer { state.hasRefused = true }
                    return !state.hasRefused
                }
                state.cursors[oldest.key] = nil
            }
            state.cursors[client] = cursor
            return false
        }
        guard isNewlyRefused else { return }
        let bound = "\(Self.clientMax) are, until one has not asked for a month"
        logger.warning("the alert face does not remember a client: \(bound)")
    }

    /// Reads them once.
    ///
    /// - Throws: `Problem`.
    func load() async throws {
        guard let database, state.withLock({ !$0.isLoaded }) else { return }
        let found = try await database.run { connection in
            var found: [(String, AlertCursor)] = []
            let sql = "SELECT client, judged_to, skipped FROM alert_cursors ORDER BY used, client"
            try connection.query(sql) { (row) throws(SQLiteError) in
                let (client, to, skipped): (String, Int64, Int64) = (
                    try row[0], try row[1], try row[2]
                )
                let cursor = AlertCursor(
                    judgedTo: Int(to),
                    completeTo: Int(to),
                    hasSkipped: skipped != 0
                )
                found.append((client, cursor))
            }
            return found
        }
        state.withLock { state in
            guard !state.isLoaded else { return }
            state.isLoaded = true
            for (client, cursor) in found where state.cursors[client] == nil {
                state.cursors[client] = cursor
                state.kept[client] = cursor
            }
        }
    }

    /// Writes a client's cursor when a file was completed since, and forgets surplus clients.
    ///
    /// Without a working card no alert is lost: after a restart the client may get it again.
    func save(_ client: String) async {
        guard let database else { return }
        let next = state.withLock { state -> (AlertCursor, [String])? in
            guard var cursor = state.cursors[client] else { return nil }
            cursor.judgedTo = cursor.completeTo
            guard state.kept[client] != cursor else { return nil }
            state.kept[client] = cursor
            return (cursor, Array(state.cursors.keys))
        }
        guard let (cursor, names) = next else { return }
        do {
            try await Self.write(client, cursor, keeping: names, in: database)
        } catch {
            state.withLock { $0.kept[client] = nil }
            logger.warning("what a client of the alert face has seen is not kept: \(error)")
        }
    }

    private static func write(
        _ client: String,
        _ cursor: AlertCursor,
        keeping names: [String],
        in database: WebDatabase
    ) async throws {
        let place = Int64(cursor.completeTo)
        try await database.run { connection in
            try connection.execute(
                """
                INSERT OR REPLACE INTO alert_cursors(client, judged_to, skipped, used)
                VALUES (?, ?, ?, ?)
                """,
                client,
                place,
                Int64(cursor.hasSkipped ? 1 : 0),
                place
            )
            let known = try connection.rows("SELECT client FROM alert_cursors") {
                (row) throws(SQLiteError) in
                let name: String = try row[0]
                return name
            }
            for name in known where !names.contains(name) {
                try connection.execute("DELETE FROM alert_cursors WHERE client = ?", name)
            }
        }
    }
}
