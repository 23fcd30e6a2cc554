import ControlProtocol
import Core
import Store
import StoreQueries

/// `/events`: newest first, by pages.
enum EventsView {
    static func json(
        _ history: OpenHistory,
        _ filter: EventFilter,
        after cursor: EventID?,
        limit: Int
    ) throws -> String {
        let page = try StoreEvents(
            history.reader,
            history.times,
            filter,
            after: cursor,
            limit: limit
        )
        var json = JSONTextBuilder()
        json.object { json in
            json.array("items", page.items) { write($1, &$0) }
            if let next = page.next { json.member("next", next.description) }
        }
        return json.text
    }

    static func write(_ item: StoreEvents.Item, _ json: inout JSONTextBuilder) {
        let event = item.event
        json.object { json in
            json.member("id", item.id.description)
            json.member("time", item.time?.wall)
            json.member("isSure", item.time?.isSure ?? false)
            json.member("bootId", item.id.boot.description)
            json.member("instantSeconds", tenths: Tick(event.instant).tenths)
            json.member("source", event.source)
            json.member("kind", event.kind.name)
            json.member("severity", event.severity.name)
            json.member("details", Details(event.facts))
        }
    }
}
