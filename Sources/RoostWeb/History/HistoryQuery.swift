import ControlProtocol
import Core
import Store
import StoreQueries

/// Channels, times and zone in the query of a history request.
struct HistoryQuery: Sendable {
    let query: WebQuery

    init(_ request: WebRequest) { query = request.query }

    /// Whether a range is asked for.
    var hasRange: Bool { QueryKey.range.contains { query.keys.contains($0.name) } }

    /// The channels that are asked for, each once, at least one.
    ///
    /// - Throws: `Problem`.
    func channels(atMost limit: Int) throws -> [String] {
        var names: [String] = []
        for name in query.all("channel") where !names.contains(name) { names.append(name) }
        guard !names.isEmpty else {
            throw Problem(
                .badRequest,
                "name a channel: ?channel=dust/pm25",
                places: [Problem.Place(pointer: "/channel", detail: "is missing")]
            )
        }
        guard names.count <= limit else {
            throw Problem.outOfRange(
                "channel",
                "channel is given \(names.count) times, and \(limit) are allowed"
            )
        }
        return names
    }

    /// A moment, as RFC 3339 or as seconds since 1970.
    ///
    /// - Throws: `Problem` `bad-request`.
    func moment(_ key: String) throws -> WallTime? {
        guard let text = try query.one(key) else { return nil }
        guard let wall = Self.moment(text) else {
            throw Problem(
                .badRequest,
                "\(key) is a time such as 2026-04-14T02:00:00Z, not \(text.prefix(40))",
                places: [Problem.Place(pointer: "/\(key)", detail: "is no time")]
            )
        }
        return wall
    }

    static func moment(_ text: String) -> WallTime? {
        if let seconds = Int(text), (-9_000_000_000...9_000_000_000).contains(seconds) {
            return WallTime(seconds: seconds)
        }
        return WallTime(iso8601: text)
    }

    /// `24h`, `7d`, `30d`, `365d`, `15m`, `90s`, as seconds.
    ///
    /// - Throws: `Problem`.
    func last() throws -> Int? {
        guard let text = try query.one("last") else { return nil }
        let units: [Character: Int] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
        guard let unit = text.last.flatMap({ units[$0] }), let count = Int(text.dropLast()),
            count > 0, count <= 100 * 366 * 86_400 / unit
        else {
            throw Problem.outOfRange(
                "last",
                "last is a length such as 24h, 7d or 365d, not \(text.prefix(40))"
            )
        }
        return count * unit
    }

    /// Returns the range; by default the last `standard` seconds, nil for everything.
    ///
    /// - Parameters:
    ///   - history: Says what the present is.
    ///   - standard: How many seconds without a word of it.
    /// - Returns: The range; each end may be open.
    /// - Throws: `Problem`.
    func range(
        _ history: OpenHistory,
        standard: Int?,
        now: WallTime? = nil
    ) throws -> TimeRange {
        let (from, to, last) = (try moment("from"), try moment("to"), try last())
        if last != nil, from != nil {
            throw Problem.badRequest("last or from, not both")
        }
        var range = TimeRange(from: from, to: to)
        if let end = to ?? now ?? history.now, from == nil {
            let seconds = last ?? (to == nil ? standard : nil)
            range.from = seconds.map { WallTime(tenths: end.tenths - Int64($0) * 10) }
            if last != nil || standard != nil, to == nil { range.to = end }
        }
        if let from = range.from, let to = range.to, from >= to {
            throw Problem.outOfRange("from", "from has to be before to")
        }
        return range
    }

    /// The zone that is asked for, else the owner's.
    ///
    /// - Throws: `Problem` `out-of-range`.
    func zone(else owner: OwnerZone) async throws -> (name: String, zone: Zone) {
        guard let name = try query.one("zone") else { return await owner.present() }
        guard let zone = Zone(named: name) else {
            throw Problem.outOfRange(
                "zone",
                "there is no zone \(name.prefix(40)); use a name such as Europe/Berlin"
            )
        }
        return (name, zone)
    }
}

extension JSONTextBuilder {
    /// A time in UTC, whole seconds.
    mutating func member(_ key: String, _ wall: WallTime?) { member(key, wall?.iso8601) }
}
