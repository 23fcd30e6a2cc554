import Core

/// Delivery progress of a receiver with subscribers, as bytes that the station keeps for it.
///
/// While ends of alerts wait, the ages of the last notices of ends are its last fields: 0 for a
/// group where none wait, else a second more.
struct PushCursor: Hashable, Sendable {
    private static let groupLimit = 1_440
    /// Bytes at most; groups without room here begin with the raised alerts, and without a token.
    static let byteLimit = 1_000

    /// Subscribers with the same interval.
    struct Group: Hashable, Sendable {
        fileprivate(set) var interval: Int
        var lastNumber: Int64
        var sentAge: Duration
        var told: [Int64]
        /// Time since the last notice with only ended alerts; nil where the next need not wait.
        var endAge: Duration?
    }

    var sentCount = 0
    /// Time in UTC; nil where no clock could be trusted.
    var time: WallTime?
    var groups: [Group] = []

    init() {}
}

extension PushCursor: DeliveryCursor {
    static var kind: CursorKind { .pushes }

    func encode() -> [UInt8] {
        var (kept, size) = (self, 24)
        kept.groups = groups.sorted { $0.interval < $1.interval }.filter { group in
            var (group, fields) = (group, CursorFields())
            fields.group(&group)
            // The age of the ends takes up to three bytes.
            let more = fields.bytes.count + 3
            guard size + more <= Self.byteLimit else { return false }
            size += more
            return true
        }
        return kept.written()
    }

    mutating func code(_ fields: inout CursorFields) {
        fields.number(&sentCount)
        fields.time(&time)
        let empty = Group(interval: 0, lastNumber: 0, sentAge: .zero, told: [])
        fields.list(&groups, upTo: Self.groupLimit, empty) { $0.group(&$1) }
        guard fields.goesOn(groups.contains { $0.endAge != nil }) else { return }
        for index in groups.indices {
            let known = groups[index].endAge
            var age = known.map { min(max($0.components.seconds, 0), 86_400) + 1 } ?? 0
            fields.number(&age, upTo: 86_401)
            groups[index].endAge = age > 0 ? .seconds(age - 1) : nil
        }
    }
}

extension PushCursor.Group {
    init(_ interval: Int, _ planner: NoticePlanner, at now: MonotonicInstant) {
        self.interval = interval
        lastNumber = planner.settledNumber
        sentAge = max(planner.tokenAt.duration(to: now) + planner.options.every, .zero)
        told = planner.alerts.filter { $0.value.toldAt != nil }.keys.sorted()
        endAge = planner.endAge(at: now)
    }
}

extension CursorFields {
    fileprivate mutating func group(_ group: inout PushCursor.Group) {
        number(&group.interval, upTo: 86_400)
        require(Subscriber.intervals.contains(group.interval))
        number(&group.lastNumber)
        seconds(&group.sentAge)
        list(&group.told, upTo: NoticePlanner.limit, 0) { $0.number(&$1) }
    }
}
