import StoreFixtures
import Testing

@testable import Core
@testable import Store
@testable import StoreQueries

@Suite struct StoreEventsTests {
    private typealias Boot = QueryFixture.Boot

    /// 400 events of two boots, four at each instant.
    private static func fixture() throws -> QueryFixture {
        func events(_ minutes: Range<Int>) -> [(Int, EventKind.Plain, EventSeverity)] {
            minutes.flatMap { minute in
                [
                    (minute, .sensorSilent, .warning), (minute, .remedyTried, .info),
                    (minute, .remedyTried, .info), (minute, .sensorBack, .notice),
                ]
            }
        }
        return try QueryFixture([
            Boot(started: "2026-04-14T00:00:00Z", minutes: 60, events: events(0..<50)),
            Boot(started: "2026-04-14T02:00:00Z", minutes: 60, events: events(0..<50)),
        ])
    }

    private static func all(
        _ fixture: QueryFixture,
        _ filter: EventFilter,
        limit: Int
    ) throws -> [StoreEvents.Item] {
        var items: [StoreEvents.Item] = []
        var cursor: EventID?
        repeat {
            let page = try StoreEvents(
                fixture.reader,
                fixture.times,
                filter,
                after: cursor,
                limit: limit
            )
            #expect(page.items.count <= limit)
            items += page.items
            cursor = page.next
        } while cursor != nil
        return items
    }

    @Test(arguments: [1, 3, 7, 100, 1_000])
    func pagesHaveEachEventOnceNewestFirst(limit: Int) throws {
        let items = try Self.all(Self.fixture(), EventFilter(), limit: limit)
        #expect(items.count == 400 && Set(items.map(\.id)).count == 400)
        let walls = items.compactMap { $0.time?.wall }
        #expect(walls == walls.sorted(by: >) && walls.count == 400)
        #expect(items.prefix(4).map(\.id.number) == [3, 2, 1, 0])
    }

    @Test func filtersBySeverityKindAndTime() throws {
        let fixture = try Self.fixture()
        var filter = EventFilter()
        filter.least = .notice
        #expect(try Self.all(fixture, filter, limit: 30).count == 200)
        filter.kinds = ["sensor not answering"]
        #expect(try Self.all(fixture, filter, limit: 30).count == 100)
        filter.range = QueryFixture.range("2026-04-14T00:40:00Z", "2026-04-14T02:10:00Z")
        let items = try Self.all(fixture, filter, limit: 3)
        #expect(items.count == 20)
        #expect(items.first?.time?.wall.iso8601 == "2026-04-14T02:09:00Z")
        #expect(items.last?.time?.wall.iso8601 == "2026-04-14T00:40:00Z")
        filter.unwanted = ["motion"]
        #expect(try Self.all(fixture, filter, limit: 3).count == 20)
        filter.unwanted = ["sensor not answering"]
        #expect(try Self.all(fixture, filter, limit: 3).isEmpty)
        filter.unwanted = []
        filter.source = "store"
        #expect(try Self.all(fixture, filter, limit: 3).isEmpty)
    }

    @Test func anIDIsReadBack() throws {
        let boot = BootID(bytes: Array(repeating: 0xD9, count: 16))
        let id = EventID(boot: boot, nanoseconds: 8_123_400_000_000, number: 2)
        #expect(EventID("\(id)") == id)
        for text in ["", "d9-1-0", "\(boot)-x-0", "\(boot)-1", "\(boot)-1-0-0", "\(boot)--1-0"] {
            #expect(EventID(text) == nil, "\(text)")
        }
    }
}
