import ControlProtocol
import StoreFixtures
import Testing

@testable import Core
@testable import Store
@testable import StoreQueries

/// Measurements with and without a place, and their clusters.
@Suite struct ClusterTableTests {
    private static let day = TimeRange(
        from: WallTime(iso8601: "2026-11-23T00:00:00Z"),
        to: WallTime(iso8601: "2026-11-24T00:00:00Z")
    )

    @Test func anImportedDriveIsWhereItWasMade() throws {
        let store = try ImportedStore()
        for (minute, north, rate) in [("00", 51.5, 30.0), ("01", 51.5005, 34), ("02", 51.6, 50)] {
            try store.add(
                "bgeigie:204",
                "2026-11-23T09:\(minute):00Z",
                (.countRate, rate),
                (.latitude, north),
                (.longitude, 7.4)
            )
        }
        // Without places: of others, and nowhere on this map.
        try store.add("school:tube", "2026-11-23T09:00:00Z", (.countRate, 99))
        let reader = try store.reader()
        let table = try ClusterTable(reader, StoreTimes(reader), "cpm", Self.day, nil)
        #expect(table.count == 3 && table.placelessCount == 0)
        #expect(table.clusters.map(\.count) == [2, 1])
        #expect(table.clusters.map(\.mean) == [32, 50])
        #expect(abs((table.clusters.first?.latitude ?? 0) - 51.50025) < 1e-6)
        #expect(try ClusterTable.channels(of: reader).map(\.name).contains("bgeigie:204/cpm"))
    }

    @Test func unitsAreNotMixed() throws {
        let store = try ImportedStore()
        let other = Quantity(name: "cpm", unit: "cps", decimals: 0)
        for (index, quantity) in [Quantity.countRate, other, .countRate].enumerated() {
            try store.add(
                "bgeigie:\(index)",
                "2026-11-23T09:00:00Z",
                (quantity, 30),
                (.latitude, 51.5),
                (.longitude, 7.4)
            )
        }
        let reader = try store.reader()
        let table = try ClusterTable(reader, StoreTimes(reader), "cpm", Self.day, nil)
        #expect(table.unit == Quantity.countRate.unit)
        #expect(table.count == 2 && table.otherUnitCount == 1)
    }

    /// A file may have been made of a survey that is kept from others.
    @Test func aDriveOfAHiddenSurveyIsHiddenToo() throws {
        var boot = DriveFixture.Boot("2026-11-22T04:30:00Z")
        boot.marks = [.begun(0, "home", isPrivate: true), .ended(2, "home")]
        let rows = (0..<4).map { DriveFixture.row(Int64($0), 30, (510_000_000, 10_000_000)) }
        boot.samples = [(DriveFixture.counter, rows)]
        let fixture = try DriveFixture([boot])
        let table = try ClusterTable(fixture.reader, fixture.times, "cpm", TimeRange(), nil)
        #expect(table.privateCount == 2 && table.count == 2)
    }

    @Test func withoutAReceiverItIsTheStation() throws {
        let fixture = try QueryFixture([.init(started: "2026-04-14T00:00:00Z", minutes: 3)])
        let home = PositionReport(latitude: 46, longitude: 11)
        let table = try ClusterTable(fixture.reader, fixture.times, "pm25", TimeRange(), home)
        #expect(table.clusters.map(\.count) == [3] && table.unit == "µg/m³")
        let none = try ClusterTable(fixture.reader, fixture.times, "pm25", TimeRange(), nil)
        #expect(none.clusters.isEmpty && none.placelessCount == 3)
    }

    @Test func reportsLeaveOutWhatIsNotKnown() throws {
        let store = try ImportedStore()
        try store.add(
            "data.gov.sg:west",
            "2026-11-23T09:00:00Z",
            (Quantity(name: "psi-24h", unit: "", decimals: 0), 58)
        )
        let table = try store.table("2026-11-23T00:00:00Z", "2026-11-24T00:00:00Z")
        let kinds: Set<SiteKind> = [.region]
        let line = try ControlCodec.line(SitesReport(table, kinds, Self.day, nil))
        #expect(
            line == #"{"from":{"isSure":true,"time":"2026-11-23T00:00:00Z"},"items":[{"#
                + #""kind":"region","name":"west","source":"data.gov.sg","values":[{"#
                + #""channel":"data.gov.sg:west/psi-24h","correctionCount":0,"decimals":0,"#
                + #""isSure":true,"mean":58,"quantity":"psi-24h","sampleCount":1,"#
                + #""time":"2026-11-23T09:00:00Z","value":58}]}],"#
                + #""to":{"isSure":true,"time":"2026-11-24T00:00:00Z"}}"#
        )
        #expect(SitesReport(table, [.reference], Self.day, nil).items.isEmpty)
    }
}
