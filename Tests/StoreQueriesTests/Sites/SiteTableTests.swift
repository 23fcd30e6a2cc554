import ControlProtocol
import Testing

@testable import Core
@testable import Store
@testable import StoreQueries

/// A real store with what feeds brought, in the order in which it came.
@Suite struct SiteTableTests {
    private static let pm10 = Quantity(name: "pm10", unit: "µg/m³", decimals: 1)
    private static let psi = Quantity(name: "psi-24h", unit: "", decimals: 0)

    private static let day = ("2026-11-23T00:00:00Z", "2026-11-24T00:00:00Z")

    private static func lombardy() -> OutboxReport {
        var feed = OutboxReport(id: "mi", type: "arpa-lombardia", state: .idle)
        feed.places = ["10043", "10283"].compactMap {
            FeedLocation(series: $0, name: "Ferno v.Di Dio", latitude: 45.6, longitude: 8.8)
        }
        return feed
    }

    @Test func eachRegionHasItsOwnValuesAndWhatIsMissingStaysMissing() throws {
        let store = try ImportedStore()
        for (index, region) in ["north", "east", "south", "west", "central"].enumerated() {
            let value = Double(10 * (index + 1))
            try store.add("data.gov.sg:\(region)", "2026-11-23T09:00:00Z", (.pm25, value))
            try store.add("data.gov.sg:\(region)", "2026-11-23T10:00:00Z", (.pm25, value + 4))
        }
        try store.add("data.gov.sg:national", "2026-11-23T09:00:00Z", (Self.psi, 61))
        let table = try store.table(Self.day.0, Self.day.1)
        #expect(table.sites.map(\.kind) == Array(repeating: .region, count: 6))
        let newest = table.sites.map { site in
            "\(site.name) "
                + site.entries.map { "\($0.quantity) \($0.value.map { "\($0)" } ?? "-")" }.joined()
        }
        #expect(
            newest == [
                "central pm25 54.0", "east pm25 24.0", "national psi-24h 61", "north pm25 14.0",
                "south pm25 34.0", "west pm25 44.0",
            ]
        )
        let west = try #require(table.sites.last?.entries.first)
        #expect(west.mean == 42 && west.count == 2 && west.correctionCount == 0)
        #expect(west.time == WallTime(iso8601: "2026-11-23T10:00:00Z"))
    }

    @Test func theLastCorrectionCountsOnceWhateverCameWhen() throws {
        let (early, late) = ("2026-11-23T09:00:00Z", "2026-11-23T10:00:00Z")
        let changes: [(String, String, Double)] = [
            ("west", early, 10), ("west", late, 20), ("west late", early, 12),
            ("west late 2", early, 16),
        ]
        for order in [
            changes, changes.reversed(), [changes[3], changes[0], changes[2], changes[1]],
        ] {
            let store = try ImportedStore()
            for (name, time, value) in order {
                try store.add("data.gov.sg:\(name)", time, (.pm25, value))
            }
            let sites = try store.table(Self.day.0, Self.day.1).sites
            #expect(sites.map(\.name) == ["west"])
            let entry = try #require(sites.first?.entries.first)
            #expect(entry.value.map { "\($0)" } == "20.0" && entry.count == 2)
            #expect(entry.mean == 18 && entry.correctionCount == 1)
        }
    }

    @Test func aValueThatOnlyCameLateIsCorrectedToo() throws {
        let store = try ImportedStore()
        try store.add("data.gov.sg:west late", "2026-11-23T08:00:00Z", (.pm25, 8))
        let entry = try #require(try store.table(Self.day.0, Self.day.1).sites.first?.entries.first)
        #expect(entry.count == 1 && entry.mean == 8 && entry.correctionCount == 1)
    }

    @Test func theMeanOfAPeriodIsThatOfItsValues() throws {
        // PM10 of Ferno as ARPA Lombardia published it, from 23 July to 21 August 2026 without
        // the days of which it said nothing; their mean as another program computes it.
        let values: [(String, Double)] = [
            ("07-23", 19), ("07-24", 17), ("07-25", 17), ("07-29", 28), ("07-30", 27),
            ("07-31", 27), ("08-01", 20), ("08-02", 15), ("08-03", 23), ("08-04", 28),
            ("08-05", 29), ("08-06", 29), ("08-07", 29), ("08-08", 22), ("08-09", 20),
            ("08-10", 22), ("08-11", 23), ("08-12", 31), ("08-13", 29), ("08-14", 36),
            ("08-15", 28), ("08-16", 27), ("08-17", 14), ("08-18", 15), ("08-19", 20),
            ("08-20", 6), ("08-21", 5),
        ]
        let store = try ImportedStore()
        for (day, value) in values {
            try store.add(
                "arpa-lombardia:10043",
                "2026-\(day)T00:00:00+01:00",
                (Self.pm10, value)
            )
        }
        try store.add("arpa-lombardia:10283", "2026-08-20T00:00:00+01:00", (.pm25, 4))
        let all = try store.table(
            "2026-07-22T23:00:00Z",
            "2026-08-21T23:00:00Z",
            [Self.lombardy()]
        )
        let site = try #require(all.sites.first)
        #expect(all.sites.count == 1, "both sensors are of one station")
        #expect(site.kind == .reference && site.name == "Ferno v.Di Dio")
        #expect(site.place?.latitude == 45.6)
        #expect(site.entries.map(\.quantity) == ["pm10", "pm25"])
        let pm10 = try #require(site.entries.first)
        #expect(pm10.count == 27)
        #expect(abs((pm10.mean ?? 0) - 22.444444444444443) < 1e-9)
        #expect(pm10.time == WallTime(iso8601: "2026-08-20T23:00:00Z"))
        // A window of a week: the days whose time is within it, and no other.
        let week = try store.table("2026-08-14T23:00:00Z", "2026-08-21T23:00:00Z", [])
        let entry = try #require(week.sites.first?.entries.first)
        #expect(entry.count == 7 && abs((entry.mean ?? 0) - 115.0 / 7) < 1e-9)
    }

    @Test func devicesOfAnotherStationAreOneSite() throws {
        let store = try ImportedStore()
        try store.add("school:dust", "2026-11-23T09:00:00Z", (.pm25, 5), (Self.pm10, 9))
        try store.add("school:attic", "2026-11-23T09:30:00Z", (Self.psi, 1))
        try store.add("old-log", "2026-11-23T09:30:00Z", (.pm25, 3))
        let peer = OutboxReport(id: "school", type: "peer", state: .idle)
        let table = try store.table(Self.day.0, Self.day.1, [peer])
        #expect(table.sites.map(\.name) == ["old-log", "school"])
        #expect(table.sites.map(\.kind) == [.other, .peer])
        #expect(
            table.sites.last?.entries.map(\.channel).sorted() == [
                "school:attic/psi-24h", "school:dust/pm10", "school:dust/pm25",
            ]
        )
    }

    @Test func devicesWithTheSameQuantityCorrectNoOther() throws {
        let store = try ImportedStore()
        for (name, value) in [("attic", 5.0), ("cellar", 9), ("cellar late", 10)] {
            try store.add("school:\(name)", "2026-11-23T09:00:00Z", (.pm25, value))
        }
        let peer = OutboxReport(id: "school", type: "peer", state: .idle)
        let sites = try store.table(Self.day.0, Self.day.1, [peer]).sites
        #expect(sites.map(\.name) == ["school"])
        let entries = sites.first?.entries ?? []
        #expect(entries.map(\.channel) == ["school:attic/pm25", "school:cellar/pm25"])
        #expect(entries.map(\.mean) == [5, 10])
        #expect(entries.map(\.correctionCount) == [0, 1])
    }

    @Test func whereADriveWasIsNoValueOfASite() throws {
        let store = try ImportedStore()
        try store.add(
            "bgeigie:204",
            "2026-11-23T09:00:00Z",
            (.countRate, 31),
            (.latitude, 51.5),
            (.longitude, 7.4)
        )
        let site = try #require(try store.table(Self.day.0, Self.day.1).sites.first)
        #expect(site.entries.map(\.quantity) == ["cpm"])
    }

    @Test func aWindowWithoutAnEndReachesToThePresent() {
        func time(_ text: String) -> WallTime? { WallTime(iso8601: text) }
        let from = TimeRange(from: time("2026-10-01T00:00:00Z"))
        #expect(!SiteTable.isTooLong(from, time("2026-10-31T23:00:00Z")))
        #expect(SiteTable.isTooLong(from, time("2026-11-02T00:00:00Z")))
        // All there is, and a beginning that nothing dates.
        #expect(SiteTable.isTooLong(TimeRange(to: time("2026-10-01T00:00:00Z")), nil))
        #expect(!SiteTable.isTooLong(from, nil) && !SiteTable.isTooLong(TimeRange(), nil))
    }

    @Test func anEmptyStoreHasNoSites() throws {
        #expect(try ImportedStore().table(Self.day.0, Self.day.1).sites.isEmpty)
    }
}
