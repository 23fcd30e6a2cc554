import SQLite

/// Changes of sessions that the card has not taken: they count in memory, and reach the card with
/// the next change that it takes.
///
/// Logging out must work while the card is full, read-only or gone.
struct UnkeptSessions: Sendable {
    /// Sessions that began without a card, at most; the oldest makes room.
    static let begunMax = 16

    /// Ended sessions that the card still has: no more than it has.
    private(set) var ended: Set<Int64> = []
    /// Started sessions by SHA-256 of the cookie's value; they end with this process.
    private(set) var begun: [[UInt8]: SessionRecord] = [:]
    /// Numbers of the sessions in `begun` that are being written.
    private var underWay: Set<Int64> = []

    var isEmpty: Bool { ended.isEmpty && begun.isEmpty }

    mutating func end(_ numbers: Set<Int64>) {
        let waiting = Set(begun.values.map(\.id)).subtracting(underWay)
        begun = begun.filter { !numbers.contains($0.value.id) }
        ended.formUnion(numbers.subtracting(waiting))
    }

    /// - Returns: The number of one that made room.
    mutating func begin(_ session: SessionRecord, hash: [UInt8]) -> Int64? {
        var evicted: Int64?
        if begun.count >= Self.begunMax, let oldest = begun.min(by: { $0.value.id < $1.value.id }) {
            evicted = oldest.value.id
            end([oldest.value.id])
        }
        begun[hash] = session
        return evicted
    }

    /// Returns the changes to write now.
    mutating func start() -> UnkeptSessions {
        underWay = Set(begun.values.map(\.id))
        return self
    }

    /// Forgets the changes that `start` returned: they are on the card.
    mutating func finish(_ written: UnkeptSessions) {
        ended.subtract(written.ended)
        begun = begun.filter { written.begun[$0.key] == nil }
        underWay = []
    }

    /// Ends the attempt: nothing was written.
    mutating func stop() { underWay = [] }

    func write(to connection: Connection) throws(SQLiteError) {
        let table = SessionTable(connection: connection)
        for number in ended { try table.delete(number) }
        for (hash, session) in begun { try table.insert(session, hash: hash) }
    }

    /// Applies these changes to the accounts read from the card.
    func apply(to roster: inout Roster) {
        roster.sessions = roster.sessions.filter { !ended.contains($0.value.id) }
        roster.sessions.merge(begun) { _, own in own }
    }
}
