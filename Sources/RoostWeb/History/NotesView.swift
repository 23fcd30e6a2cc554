import Core
import Store
import StoreQueries

/// Notes that people wrote, and surveys.
enum NotesView {
    /// Events that are searched for either, at most; the newest ones.
    private static let readMax = 2_000

    /// `/notes`, newest first: a note is where its author put it, else where it was written.
    static func notes(_ history: OpenHistory, _ range: TimeRange) throws -> String {
        let items = try read(history, ["note"]).filter { item in
            time(of: item).map(range.contains) ?? true
        }
        var json = JSONTextBuilder()
        json.object { json in
            json.array("items", items) { json, item in
                json.object { json in
                    json.member("id", item.id.description)
                    json.member("at", time(of: item)?.iso8601)
                    for key in ["text", "author", "channel"] {
                        json.member(key, detail(key, of: item))
                    }
                }
            }
        }
        return json.text
    }

    /// `/surveys`, newest first: each with its end, where it has one.
    static func surveys(_ history: OpenHistory) throws -> String {
        let surveys = try StoredSurvey.all(history.reader, history.times).reversed()
        var json = JSONTextBuilder()
        json.object { json in
            json.array("items", surveys) { json, item in
                json.object { json in
                    json.member("name", item.name)
                    json.member("from", item.range.from?.iso8601)
                    json.member("to", item.range.to?.iso8601)
                    json.member("noUpload", item.isPrivate)
                }
            }
        }
        return json.text
    }

    private static func read(
        _ history: OpenHistory,
        _ kinds: Set<String>
    ) throws -> [StoreEvents.Item] {
        var filter = EventFilter()
        filter.kinds = kinds
        return try StoreEvents(
            history.reader,
            history.times,
            filter,
            after: nil,
            limit: readMax
        ).items
    }

    private static func time(of item: StoreEvents.Item) -> WallTime? {
        detail("at", of: item).flatMap { WallTime(iso8601: $0) } ?? item.time?.wall
    }

    private static func detail(_ key: String, of item: StoreEvents.Item) -> String? {
        item.event.details.first { $0.key == key }?.value
    }
}
