import ControlProtocol
import Core
import HTTPTypes
import Logging
import SQLite
import Synchronization

/// Accounts of the dashboard: people, their sessions, programs' tokens.
///
/// The gate's checks read memory only. Every change goes to the card first, and memory is then read
/// anew from it, so both never differ. Only sessions may be ahead of a card that cannot be written:
/// see `UnkeptSessions`.
package final class Accounts: Sendable {
    struct Memory: Sendable {
        var roster: Roster
        var unkept = UnkeptSessions()
        /// Why the last change could not be written to the card; nil once one can.
        var trouble: String?
        /// Time of the last try to write to the card, by the machine's running time.
        var tried = 0.0
    }

    /// Sleeps for so many seconds, on the loop.
    package typealias Pause = @Sendable (_ seconds: Int64) async -> Void

    let accountStation: AccountStation
    let cookie: SessionCookie
    let clock: WebClock
    let hashing: PasswordHash
    let logger: Logger
    package let database: WebDatabase
    package let looks: PictureAccessLog
    private let pause: Pause
    let memory: Mutex<Memory>
    private let throttle = Mutex(LoginThrottle())
    /// Time of the last request for a trusted date, by the machine's running time.
    private let askedDate = Mutex<Double?>(nil)

    /// Reads all accounts.
    ///
    /// - Throws: `WebDatabaseError`.
    package init(
        _ database: WebDatabase,
        of accountStation: AccountStation,
        clock: WebClock = .system,
        hashing: PasswordHash = .argon2id,
        logger: Logger,
        pause: @escaping Pause
    ) throws {
        self.database = database
        self.accountStation = accountStation
        self.clock = clock
        self.hashing = hashing
        self.logger = logger
        self.pause = pause
        looks = PictureAccessLog(database, clock: clock, logger: logger)
        cookie = SessionCookie(station: accountStation.name)
        do {
            memory = Mutex(Memory(roster: try database.runNow { try Roster(reading: $0) }))
        } catch let error as SQLiteError {
            throw WebDatabaseError(error, path: database.path)
        }
    }

    package var station: String { accountStation.name }

    /// Whether a person is logged in at this address.
    package func isKnown(_ address: String) -> Bool {
        roster.sessions.values.contains { $0.address == address }
    }

    var roster: Roster { memory.withLock { $0.roster } }

    /// Reads data that is not in memory.
    func read<Value: Sendable>(
        _ work: @escaping @Sendable (Connection) throws -> Value
    ) async throws -> Value {
        try await database.run(work)
    }

    /// Changes the database before anything is served.
    func startingWith(_ work: @Sendable (Connection) throws -> Void) throws {
        try database.runNow(work)
    }

    /// Changes the database in one transaction, then memory; a refused request writes nothing.
    func change<Value: Sendable>(
        _ work: @escaping @Sendable (Connection) throws -> Value
    ) async throws -> Value {
        let clock = clock
        return try await database.run { connection in
            let unkept = self.memory.withLock { $0.unkept.start() }
            let before = connection.totalChangeCount
            let value: Value
            do {
                value = try connection.transaction(
                    .immediate,
                    wrapping: { $0 as any Error }
                ) { () throws(any Error) -> Value in
                    try unkept.write(to: connection)
                    let value = try work(connection)
                    guard connection.totalChangeCount != before else { return value }
                    // Each change is a moment from which the age of sessions is counted on.
                    try SessionAgeTable(connection: connection).advance(clock)
                    return value
                }
            } catch {
                self.failed(error, clock)
                throw error
            }
            // The card has these sessions now, so no later change writes them again.
            self.memory.withLock { $0.unkept.finish(unkept) }
            // On the one thread, so that no later change overtakes an earlier one.
            var roster = try Roster(reading: connection)
            let isWritten = connection.totalChangeCount != before
            self.memory.withLock { memory in
                memory.unkept.apply(to: &roster)
                memory.roster = roster
                if isWritten { memory.trouble = nil }
            }
            return value
        }
    }

    /// Adds a line of the audit to each successful change of these routes.
    ///
    /// A line that cannot be written is logged and takes nothing back: a mute must not fail for a
    /// full card.
    package func audited(_ routes: [Route]) -> [Route] {
        routes.map { route in
            guard route.method != .get else { return route }
            let action = route.facts?.action ?? .change
            var audited = route
            audited.handler = { request in
                let answer = try await route.handler(request)
                await self.write(action, request)
                return answer
            }
            return audited
        }
    }

    private func write(_ action: AuditAction, _ request: WebRequest) async {
        let parts = request.path.split(separator: "/").dropFirst(action == .change ? 2 : 3)
        let words = parts.compactMap { PercentCoding.decoded($0) }.joined(separator: "/")
        let record = AuditRecord(
            time: clock.seconds(),
            actor: request.identity?.name ?? "",
            action: action,
            target: action == .change ? "\(request.method.rawValue) \(words)" : words,
            address: request.peer.text
        )
        do {
            try await database.run { try AuditTable(connection: $0).add(record) }
        } catch {
            logger.warning("the audit lacks \(record.action.rawValue) \(words): \(error)")
        }
    }

    /// Writes changes that no answer depends on, such as the last use of a session.
    func touch(_ words: String, _ work: @escaping @Sendable (Connection) throws -> Void) async {
        do {
            try await change(work)
        } catch {
            logger.warning("\(words) is not kept: \(error)")
        }
    }
}

// MARK: - Ages

extension Accounts {
    /// Seconds between requests for a trusted date, while there is none.
    static let datePause = 600.0

    /// The count by which sessions, tokens and invitations age, now.
    var age: Int64 { roster.age.seconds(clock) }

    /// Seconds since 1970 by a date that the station trusted in this boot; nil before it did.
    package var trustedSeconds: Int64? { roster.age.date(clock) }

    /// Records the station's trusted date, by which time without power is counted.
    ///
    /// Once in each boot, and once a day.
    func dateSessions() async {
        let now = clock.uptime()
        guard roster.age.lacksDate(clock) else { return }
        let isDue = askedDate.withLock { asked in
            guard now - (asked ?? -.infinity) >= Self.datePause else { return false }
            asked = now
            return true
        }
        guard isDue, let wall = await accountStation.trustedDate() else { return }
        let clock = clock
        await touch("the age of sessions") {
            try SessionAgeTable(connection: $0).advance(clock, wall: wall)
        }
    }
}

// MARK: - Without a card

/// Sessions while the card cannot be written: people still log in and out.
extension Accounts {
    /// Seconds between tries of a card that could not be written.
    private static let retrySeconds = 60.0

    /// Why changes are not kept, with the next step; nil while they are.
    package var trouble: String? { memory.withLock { $0.trouble } }

    /// Whether ends or starts of sessions are not on the card yet.
    package var isAheadOfCard: Bool { memory.withLock { !$0.unkept.isEmpty } }

    /// Remembers that a change was not made, if the card is the cause.
    func failed(_ error: any Error, _ clock: WebClock) {
        let cause = (error as? SQLiteError).flatMap { $0.isOfMedium ? $0 : nil }
        let words = cause.map { WebDatabaseError($0, path: database.path).description }
        let isNew = memory.withLock { memory in
            memory.unkept.stop()
            guard let words else { return false }
            defer { (memory.trouble, memory.tried) = (words, clock.uptime()) }
            return memory.trouble != words
        }
        if isNew, let words { logger.error("\(words)") }
    }

    /// Tries once a minute to write to a card that failed, or that lacks a session's end or start.
    func retryCard() async {
        let now = clock.uptime()
        let isDue = memory.withLock { memory in
            let isOver = now - memory.tried >= Self.retrySeconds
            guard memory.trouble != nil || !memory.unkept.isEmpty, isOver else { return false }
            memory.tried = now
            return true
        }
        guard isDue else { return }
        let clock = clock
        do {
            try await change { try SessionAgeTable(connection: $0).advance(clock) }
            logger.notice("\(database.path) takes changes again")
        } catch {
            logger.debug("\(database.path) still takes no change: \(error)")
        }
    }

    /// Ends sessions: here at once, and on the card as soon as it takes that.
    ///
    /// - Parameters:
    ///   - isMeant: Of all that there are.
    ///   - line: Of the audit; left out where the card has no room for it.
    /// - Returns: Whether there was one.
    func endSessions(
        where isMeant: (SessionRecord) -> Bool,
        _ line: @escaping @Sendable (Connection) throws -> Void
    ) async -> Bool {
        let now = clock.uptime()
        let numbers = memory.withLock { memory in
            let sessions = memory.roster.sessions
            let numbers = Set(sessions.values.filter(isMeant).map(\.id))
            memory.unkept.end(numbers)
            // The change below is the first try.
            if memory.trouble == nil, !numbers.isEmpty { memory.tried = now }
            memory.roster.sessions = sessions.filter { !numbers.contains($0.value.id) }
            return numbers
        }
        guard !numbers.isEmpty else { return false }
        do {
            try await change(line)
        } catch {
            do {
                try await change { _ in }
                logger.warning("the audit lacks the end of a session: \(error)")
            } catch {
                let rest = "the card has it until it takes changes while the dashboard runs"
                logger.warning("a session has ended in memory, and \(rest): \(error)")
            }
        }
        return true
    }

    /// Begins a session that the card did not take: it ends with this process.
    ///
    /// - Parameters:
    ///   - hash: SHA-256 of the cookie's value.
    ///   - old: The browser's session before, which ends.
    /// - Throws: `Problem` `unauthenticated` for an account that is gone.
    func beginSession(
        of account: Int64,
        hash: [UInt8],
        endingOf old: Int64?,
        by visitor: Visitor
    ) throws(Problem) {
        try memory.withLock { (memory) throws(Problem) in
            guard memory.roster.accounts[account] != nil else {
                throw Problem(.unauthenticated, "Wrong email or password")
            }
            var gone = Set([old].compactMap(\.self))
            memory.unkept.end(gone)
            let last = memory.roster.sessions.values.map(\.id).max() ?? 0
            let session = SessionRecord(
                id: max(last, memory.unkept.ended.max() ?? 0) + 1,
                account: account,
                created: visitor.time,
                lastUsed: visitor.time,
                agent: visitor.agent,
                address: visitor.address,
                born: visitor.age,
                used: visitor.age
            )
            if let evicted = memory.unkept.begin(session, hash: hash) { gone.insert(evicted) }
            memory.roster.sessions = memory.roster.sessions.filter { !gone.contains($0.value.id) }
            memory.roster.sessions[hash] = session
        }
        logger.warning("a log-in is kept in memory alone: it ends when the dashboard does")
    }
}

// MARK: - Passwords

extension Accounts {
    /// Whether a password belongs to an e-mail address.
    ///
    /// An unknown address takes as long as a known one.
    ///
    /// - Throws: `Problem` `rate-limited`, `busy`, `store`.
    func account(
        email: String,
        password: String,
        _ peer: PeerAddress
    ) async throws -> AccountRecord? {
        let known = isKnown(peer.text)
        let delay = try throttle.withLock { (throttle) throws(Problem) in
            try throttle.admit(
                address: peer.text,
                email: email,
                isKnown: known,
                at: clock.uptime()
            )
        }
        if delay > 0 { await pause(delay) }
        let (account, hashing) = (roster.account(email: email), hashing)
        let isRight = try await database.run { connection in
            let kept = try account.flatMap {
                try AccountTable(connection: connection).password(of: $0.id)
            }
            return hashing.verify(password, kept ?? PasswordHash.ofNobody) && kept != nil
        }
        guard isRight, let account else {
            logger.notice("wrong password from \(peer.text)")
            return nil
        }
        throttle.withLock { $0.succeed(address: peer.text, email: email) }
        return account
    }

    func visitor(_ request: WebRequest) -> Visitor {
        let agent = request.headers[.userAgent]?.prefix(120) ?? ""
        return Visitor(
            time: clock.seconds(),
            address: request.peer.text,
            agent: String(agent),
            age: age
        )
    }
}

extension Roster {
    init(reading connection: Connection) throws(SQLiteError) {
        let all = try AccountTable(connection: connection).all()
        for account in all { accounts[account.id] = account }
        sessions = try SessionTable(connection: connection).all()
        tokens = try TokenTable(connection: connection).all()
        claimed = try ClaimTable(connection: connection).claimed()
        age = try SessionAgeTable(connection: connection).read()
    }
}
