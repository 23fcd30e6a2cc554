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

    /// The newest of a name; nil when there is none, or nothing dates it.
    ///
    /// - Throws: What the store throws.
    init?(named name: String, _ history: OpenHistory) throws {
        var filter = EventFilter()
        filter.kinds = ["survey begun", "survey ended"]
        let events = try StoreEvents(
            history.reader,
            history.times,
            filter,
            after: nil,
            limit: Self.readMax
        )
        var end: WallTime?
        for item in events.items {
            func detail(_ key: String) -> String? {
                item.event.details.first { $0.key == key }?.value
            }
            guard detail("name") == name else { continue }
            guard item.event.kind.name == "survey begun" else {
                end = item.time?.wall
                continue
            }
            guard let begin = item.time?.wall else { return nil }
            range = TimeRange(from: begin, to: end)
            isPrivate = detail("upload") == "no"
            return
        }
        return nil
    }
}
