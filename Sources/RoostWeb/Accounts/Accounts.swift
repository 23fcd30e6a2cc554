import HTTPTypes
import Logging
import SQLite
import Synchronization

/// Who may use the dashboard: people, their sessions, programs' tokens.
///
/// What the gate asks for is in memory; every change goes to the card first, and memory is then
/// read anew from it, so both are never different.
package final class Accounts: Sendable {
    /// Lets so many seconds pass, on the loop.
    package typealias Pause = @Sendable (_ seconds: Int64) async -> Void

    let house: AccountStation
    let cookie: SessionCookie
    let clock: WebClock
    let hashing: PasswordHash
    let logger: Logger
    package let database: WebDatabase
    package let looks: PictureLooks
    private let pause: Pause
    private let memory: Mutex<Roster>
    private let throttle = Mutex(LoginThrottle())
    /// When the station was last asked for a trusted date; by the machine's running time.
    private let askedDate = Mutex<Double?>(nil)

    /// Reads all accounts.
    ///
    /// - Throws: `WebDatabaseError`.
    package init(
        _ database: WebDatabase,
        of house: AccountStation,
        clock: WebClock = .system,
        hashing: PasswordHash = .argon2id,
        logger: Logger,
        pause: @escaping Pause
    ) throws {
        self.database = database
        self.house = house
        self.clock = clock
        self.hashing = hashing
        self.logger = logger
        self.pause = pause
        looks = PictureLooks(database, clock: clock, logger: logger)
        cookie = SessionCookie(station: house.name)
        do {
            memory = Mutex(try database.runNow { try Roster(reading: $0) })
        } catch let error as SQLiteError {
            throw WebDatabaseError(.sqlite(error), path: database.path)
        }
    }

    package var station: String { house.name }

    /// Whether a person is logged in at this address.
    package func isKnown(_ address: String) -> Bool {
        roster.sessions.values.contains { $0.address == address }
    }

    package var roster: Roster { memory.withLock { $0 } }

    /// Reads what is not in memory.
    func read<Value: Sendable>(
        _ work: @escaping @Sendable (Connection) throws -> Value
    ) async throws -> Value {
        try await database.run(work)
    }

    /// Changes the database before anything is served.
    func startingWith(_ work: @Sendable (Connection) throws -> Void) throws {
        try database.runNow(work)
    }

    /// Changes the database in one transaction, and memory after it; what changes nothing, as a
    /// request that is refused, writes nothing.
    func change<Value: Sendable>(
        _ work: @escaping @Sendable (Connection) throws -> Value
    ) async throws -> Value {
        let clock = clock
        return try await database.run { connection in
            let value = try connection.transaction(
                .immediate,
                wrapping: { $0 as any Error }
            ) { () throws(any Error) -> Value in
                let before = connection.totalChangeCount
                let value = try work(connection)
                guard connection.totalChangeCount != before else { return value }
                // Each change is a moment from which the age of sessions is counted on.
                try SessionAgeTable(connection: connection).advance(clock)
                return value
            }
            // On the one thread: a later change cannot be overtaken by an earlier one.
            let roster = try Roster(reading: connection)
            self.memory.withLock { $0 = roster }
            return value
        }
    }

    /// The same routes, with a line of the audit behind each change that was done.
    ///
    /// A line that cannot be written is logged and takes nothing back: a mute must not fail for a
    /// full card.
    package func audited(_ routes: [Route]) -> [Route] {
        routes.map { route in
            guard route.method != .get else { return route }
            let action = AuditAction(route)
            return Route(
                route.method,
                route.path,
                route.right,
                scope: route.scope,
                body: route.body
            ) { request in
                let answer = try await route.handler(request)
                await self.write(action, request)
                return answer
            }
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
            _ = try await database.run { try AuditTable(connection: $0).add(record) }
        } catch {
            logger.warning("the audit lacks \(record.action.rawValue) \(words): \(error)")
        }
    }

    /// Notes what no answer depends on, as the last use of a session.
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
    /// From one question for a trusted date to the next, while there is none.
    static let datePause = 600.0

    /// The count by which sessions, tokens and invitations age, now.
    var age: Int64 { roster.age.seconds(clock) }

    /// Seconds since 1970 by a date that the station trusted in this boot; nil before it did.
    package var trustedSeconds: Int64? { roster.age.date(clock) }

    /// Counts the time that the machine was off, as soon as the station trusts its date; once in
    /// each boot.
    func dateSessions() async {
        let now = clock.uptime()
        guard roster.age.lacksDate(clock) else { return }
        let isDue = askedDate.withLock { asked in
            guard now - (asked ?? -.infinity) >= Self.datePause else { return false }
            asked = now
            return true
        }
        guard isDue, let wall = await house.trustedDate() else { return }
        let clock = clock
        await touch("the age of sessions") {
            try SessionAgeTable(connection: $0).advance(clock, wall: wall)
        }
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
