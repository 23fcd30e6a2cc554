import ControlProtocol
import Testing

@testable import RoostCourier

@Suite struct SingaporeRowsTests {
    private static func decode(_ name: String) throws -> FeedRows {
        try SingaporeRows.decode(Fixture.bytes(name))
    }

    private static func values(_ rows: FeedRows, at time: String) -> [String: Double?] {
        let rows = rows.rows.filter { $0.time == time }
        return Dictionary(uniqueKeysWithValues: rows.map { ($0.series, $0.value) })
    }

    @Test func readsAnHourOfPM25() throws {
        let rows = try Self.decode("v1-pm25-20201215T0800")
        #expect(rows.omittedCount == 0)
        #expect(
            Self.values(rows, at: "2020-12-15T00:00:00Z") == [
                "west/pm25": 5, "east/pm25": 25, "central/pm25": 6, "south/pm25": 14,
                "north/pm25": 7,
            ]
        )
        #expect(rows.rows.allSatisfy { $0.source == "data.gov.sg" && $0.unit == "µg/m³" })
    }

    @Test func readsTheSameRowsOfBothEnvelopes() throws {
        let (old, new) = try (
            Self.decode("v1-psi-20201215T0800"), Self.decode("handmade-v2-psi-20201215T0800")
        )
        #expect(old.rows.count == 72)
        #expect(old.rows == new.rows)
        #expect(old.omittedCount == 0)
        let carbon = try #require(old.rows.first { $0.series == "east/co-8h-max" })
        #expect(carbon.value == 0.54)
        #expect(carbon.unit == "mg/m³")
    }

    @Test func aRegionThatIsLeftOutHasNoValue() throws {
        let rows = try Self.decode("handmade-v1-pm25-day-missing-region")
        #expect(rows.rows.count == 15)
        let (before, after) = (
            Self.values(rows, at: "2026-09-28T07:00:00Z"),
            Self.values(rows, at: "2026-09-28T09:00:00Z")
        )
        #expect(before["south/pm25"] == .some(nil))
        #expect(before["west/pm25"] == 103)
        #expect(after["south/pm25"] == 140)
    }

    @Test func minusOneAndNullAreNoValues() throws {
        let rows = try Self.decode("handmade-v2-pm25-day-minus-one-null")
        #expect(
            Self.values(rows, at: "2026-09-28T08:00:00Z") == [
                "west/pm25": nil, "east/pm25": 83, "central/pm25": nil, "south/pm25": 105,
                "north/pm25": 49,
            ]
        )
        #expect(rows.omittedCount == 0)
    }

    @Test func readsTimesInUTC() throws {
        let rows = try Self.decode("handmade-v2-pm25-openapi-example-utc")
        #expect(Set(rows.rows.map(\.time)) == ["2024-07-17T06:00:00Z"])
        #expect(rows.rows.count == 5)
    }

    @Test func anEmptyItemIsNoFault() throws {
        let rows = try Self.decode("handmade-v1-empty-item")
        #expect(rows == FeedRows())
    }

    @Test func knowsThatItAsksTooOften() throws {
        #expect(throws: FeedFault.busy("Rate limit exceeded.")) {
            try Self.decode("handmade-v2-rate-limited")
        }
    }

    @Test func keepsWhatIsRightBesideWhatIsWrong() throws {
        let body = """
            {"items":[
              {"timestamp":"yesterday","readings":{}},
              {"timestamp":"2026-09-28T15:00:00+08:00","readings":{"radon":{},
                "pm25_one_hourly":{"west":"many","WEST":4,"east":7,"moon":1}}}
            ]}
            """
        let rows = try SingaporeRows.decode(Array(body.utf8))
        #expect(
            rows.omissions.map(\.place) == [
                "/items/0/timestamp", "/items/1/readings/pm25_one_hourly/moon",
                "/items/1/readings/pm25_one_hourly/west", "/items/1/readings/radon",
            ]
        )
        #expect(rows.rows.first { $0.series == "east/pm25" }?.value == 7)
        #expect(rows.rows.count == 5)
    }
}

@Suite struct FeedLocationTests {
    @Test func bothEnvelopesSayWhereRegionsAre() throws {
        let (old, new) = try (
            SingaporeRows.decode(Fixture.bytes("v1-psi-20201215T0800")).places,
            SingaporeRows.decode(Fixture.bytes("handmade-v2-psi-20201215T0800")).places
        )
        #expect(old == new)
        // National values have the position 0, 0 there: they are on no map.
        #expect(old.map(\.series).sorted() == ["central", "east", "north", "south", "west"])
        let west = try #require(old.first { $0.series == "west" })
        #expect(west.latitude == 1.35735 && west.longitude == 103.7)
    }

    @Test func theRegistrySaysWhereSensorsAre() throws {
        let rows = try ARPASensor.places(Fixture.bytes("handmade-ib47-atvt-rows"), for: [])
        #expect(
            !rows.places.isEmpty && rows.places.map(\.series) == rows.places.map(\.series).sorted()
        )
        #expect(rows.places.allSatisfy { (44...47).contains($0.latitude) && !$0.name.isEmpty })
    }

    @Test func whatIsNoPlaceIsNone() {
        for (north, east) in [(nil, 1), (0, 0), (91, 0), (0, -181)] as [(Double?, Double?)] {
            #expect(FeedLocation(series: "a", name: "a", latitude: north, longitude: east) == nil)
        }
    }
}
