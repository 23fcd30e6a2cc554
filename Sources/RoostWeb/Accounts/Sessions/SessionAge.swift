import Core
import SQLite

/// Counts the seconds by which sessions, tokens and invitations age, whatever the date does.
///
/// Within one boot the machine's running time counts. Time without power counts as the dates say
/// that the station trusted (`AgreedDates`): one that is wrong for a day ends nothing, and time
/// that no trusted clock measured is not counted.
struct SessionAge: Hashable, Sendable {
    /// A moment at which the station trusted its date.
    struct Dated: Hashable, Sendable {
        /// The count at that moment, in seconds.
        var count: Double
        /// Seconds since 1970.
        var wall: Int64
        var boot: String
    }

    /// Seconds counted until `uptime` of `boot`.
    var count = 0.0
    var boot = ""
    var uptime = 0.0
    /// The last such moment; nil before the first.
    var dated: Dated?
    /// The agreement of all those dates.
    var dates = AgreedDates()

    /// The count now, in whole seconds.
    func seconds(_ clock: WebClock) -> Int64 { Int64(present(clock)) }

    /// Seconds since 1970, counted from the trusted date of this boot; nil before there is one.
    func date(_ clock: WebClock) -> Int64? {
        guard let dated, dated.boot == clock.boot else { return nil }
        return dated.wall + Int64(present(clock) - dated.count)
    }

    /// Whether no trusted date was seen in this boot, or for a day.
    func lacksDate(_ clock: WebClock) -> Bool {
        guard let dated, dated.boot == clock.boot else { return true }
        return present(clock) - dated.count >= Self.dateSeconds
    }

    private static let dateSeconds = 86_400.0

    /// Counts up to now.
    ///
    /// - Parameters:
    ///   - wall: Seconds since 1970, if the station trusts them now.
    mutating func advance(_ clock: WebClock, wall: Int64? = nil) {
        count = present(clock)
        if let wall {
            dates.add(wall, at: Int64(count))
            count += Double(dates.settle(at: Int64(count)))
            dated = Dated(count: count, wall: wall, boot: clock.boot)
        }
        (boot, uptime) = (clock.boot, clock.uptime())
    }

    private func present(_ clock: WebClock) -> Double {
        let now = clock.uptime()
        let isSameBoot = boot == clock.boot && uptime <= now
        return count + (isSameBoot ? now - uptime : now)
    }
}

/// The count's one row in web.db.
struct SessionAgeTable {
    let connection: Connection

    func read() throws(SQLiteError) -> SessionAge {
        var age = SessionAge()
        let sql = """
            SELECT count, boot, uptime, dated, wall, dated_boot, birth, low, high, since
            FROM session_age
            """
        try connection.query(sql) { (row) throws(SQLiteError) in
            (age.count, age.boot, age.uptime) = (try row[0], try row[1], try row[2])
            let (low, high, since): (Int64?, Int64?, Int64?) = (
                try row.optional(7), try row.optional(8), try row.optional(9)
            )
            var span: AgreedDates.Span?
            if let low, let high, let since {
                span = AgreedDates.Span(low: low, high: high, since: since)
            }
            age.dates = AgreedDates(birth: try row.optional(6), span: span)
            let (count, wall): (Double?, Int64?) = (try row.optional(3), try row.optional(4))
            let boot: String? = try row.optional(5)
            guard let count, let wall, let boot else { return }
            age.dated = SessionAge.Dated(count: count, wall: wall, boot: boot)
        }
        return age
    }

    /// Counts up to now, with the date if it is trusted.
    func advance(_ clock: WebClock, wall: Int64? = nil) throws(SQLiteError) {
        var age = try read()
        age.advance(clock, wall: wall)
        let sql = """
            UPDATE session_age SET count = ?, boot = ?, uptime = ?, dated = ?, wall = ?,
                dated_boot = ?, birth = ?, low = ?, high = ?, since = ?
            """
        try connection.execute(
            sql,
            age.count,
            age.boot,
            age.uptime,
            age.dated?.count,
            age.dated?.wall,
            age.dated?.boot,
            age.dates.birth,
            age.dates.span?.low,
            age.dates.span?.high,
            age.dates.span?.since
        )
    }
}
