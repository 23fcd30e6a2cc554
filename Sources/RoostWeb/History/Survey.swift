import Core
import Store
import StoreQueries

/// A stretch of time that a person named.
struct Survey: Hashable, Sendable {
    /// Events that are looked through for it, at most; the newest ones.
    private static let readMax = 2_000

    let range: TimeRange
    /// Whether it is marked *do not upload*.
    let isPrivate: Bool

    /// All, the newest first.
    ///
    /// - Returns: Each with its name; one that goes on has no end, and one that began before the
    ///   station knew the time has no beginning.
    /// - Throws: What the store throws.
    static func all(_ history: OpenHistory) throws -> [(name: String, survey: Survey)] {
        var filter = EventFilter()
        filter.kinds = ["survey begun", "survey ended"]
        let events = try StoreEvents(
            history.reader,
            history.times,
            filter,
            after: nil,
            limit: readMax
        )
        var (ends, found) = ([String: WallTime](), [(name: String, survey: Survey)]())
        for item in events.items {
            func detail(_ key: String) -> String? {
                item.event.details.first { $0.key == key }?.value
            }
            let name = detail("name") ?? ""
            guard item.event.kind.name == "survey begun" else {
                ends[name] = item.time?.wall
                continue
            }
            let end = ends.removeValue(forKey: name)
            let range = TimeRange(from: item.time?.wall, to: end)
            found.append((name, Survey(range: range, isPrivate: detail("upload") == "no")))
        }
        return found
    }

    /// The newest of a name; nil when there is none, or nothing dates it.
    ///
    /// - Throws: What the store throws.
    static func newest(named name: String, _ history: OpenHistory) throws -> Survey? {
        let newest = try all(history).first { $0.name == name }?.survey
        return newest?.range.from == nil ? nil : newest
    }
}
