import SQLite

/// The one claim code, and who claimed, in web.db: both outlive the process.
struct ClaimTable {
    /// Measured by the machine's running time: its date may jump at the first time server's answer.
    static let lifeSeconds = 900.0
    static let triesMax = 5
    /// Tries of a card's code, counted over restarts: it has no other end than its use, and people
    /// may have chosen a weak one.
    static let cardTriesMax = 20
    /// Value of the column for the boot in the row of a card's code.
    private static let card = "card"

    /// Where the person reads the code that is valid now.
    enum Source: String, Codable, Sendable, CaseIterable {
        case card, shell
    }

    enum Finding: Hashable, Sendable {
        case right
        case wrong(triesLeft: Int)
        /// There is no code, or it is too old or used up.
        case gone
    }

    let connection: Connection

    /// Stores a new code in place of the old one; who claimed stays.
    func set(_ code: String, _ clock: WebClock) throws(SQLiteError) {
        try connection.execute(
            """
            INSERT INTO claim(one, hash, boot, made, tries) VALUES (1, ?, ?, ?, 0)
            ON CONFLICT(one) DO UPDATE SET hash = excluded.hash, boot = excluded.boot,
                made = excluded.made, tries = 0
            """,
            SHA256.digest(code),
            clock.boot,
            clock.uptime()
        )
    }

    /// Stores the card's code; the same code again keeps its count of tries.
    func setCard(_ code: String) throws(SQLiteError) {
        let hash = SHA256.digest(RandomSecret.heard(code))
        var isKnown = false
        try connection.query("SELECT hash FROM claim WHERE boot = ?", Self.card) {
            (row) throws(SQLiteError) in
            let kept: [UInt8]? = try row[0]
            isKnown = kept == hash
        }
        guard !isKnown else { return }
        try connection.execute(
            """
            INSERT INTO claim(one, hash, boot, made, tries) VALUES (1, ?, ?, 0, 0)
            ON CONFLICT(one) DO UPDATE SET hash = excluded.hash, boot = excluded.boot,
                made = 0, tries = 0
            """,
            hash,
            Self.card
        )
    }

    private struct Code {
        let hash: [UInt8]
        let source: Source
        let triesLeft: Int
    }

    /// Where the valid code is from; nil without one.
    func source(_ clock: WebClock) throws(SQLiteError) -> Source? { try valid(clock)?.source }

    private func valid(_ clock: WebClock) throws(SQLiteError) -> Code? {
        var kept: (hash: [UInt8], boot: String, made: Double, tries: Int)?
        let sql = "SELECT hash, boot, made, tries FROM claim WHERE hash IS NOT NULL"
        try connection.query(sql) { (row) throws(SQLiteError) in
            kept = (try row[0], try row[1], try row[2], try row[3])
        }
        guard let kept else { return nil }
        let isOfCard = kept.boot == Self.card
        let triesMax = isOfCard ? Self.cardTriesMax : Self.triesMax
        let isFresh =
            kept.boot == clock.boot
            && (0..<Self.lifeSeconds).contains(clock.uptime() - kept.made)
        guard isOfCard || isFresh, kept.tries < triesMax else { return nil }
        let source: Source = isOfCard ? .card : .shell
        return Code(hash: kept.hash, source: source, triesLeft: triesMax - kept.tries)
    }

    /// Compares what was typed, and counts a wrong try.
    func check(_ typed: String, _ clock: WebClock) throws(SQLiteError) -> Finding {
        guard let code = try valid(clock) else { return .gone }
        if RandomSecret.isSame(code.hash, SHA256.digest(RandomSecret.heard(typed))) {
            return .right
        }
        try connection.execute("UPDATE claim SET tries = tries + 1")
        let left = code.triesLeft - 1
        return left > 0 ? .wrong(triesLeft: left) : .gone
    }

    /// Uses the code up, if there was one.
    func finish(_ claimed: Roster.Claimed) throws(SQLiteError) {
        try connection.execute(
            """
            INSERT INTO claim(one, tries, name, time) VALUES (1, 0, ?, ?)
            ON CONFLICT(one) DO UPDATE SET hash = NULL, name = excluded.name,
                time = excluded.time
            """,
            claimed.name,
            claimed.time
        )
    }

    func claimed() throws(SQLiteError) -> Roster.Claimed? {
        var found: Roster.Claimed?
        try connection.query("SELECT name, time FROM claim WHERE name IS NOT NULL") {
            (row) throws(SQLiteError) in
            found = Roster.Claimed(name: try row[0], time: try row[1])
        }
        return found
    }

    /// Removes the code, and the record of who claimed.
    func reset() throws(SQLiteError) { try connection.execute("DELETE FROM claim") }
}
