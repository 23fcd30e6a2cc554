import ControlProtocol
import Testing

@testable import RoostCourier

@Suite struct ARPARowsTests {
    private static let pm10 = ["10043": ARPASensor(id: "10043", quantity: "pm10")]

    @Test func readsTheRegistry() throws {
        let (sensors, left) = try ARPASensor.registry(
            Fixture.bytes("handmade-ib47-atvt-rows")
        )
        #expect(sensors.count == 21)
        #expect(left.omittedCount == 0)
        let copelli = try #require(sensors["6400"])
        #expect(copelli.quantity == "no2")
        #expect(copelli.station == "Varese v.Copelli")
        #expect(copelli.latitude == 45.8169745)
        #expect(copelli.isActive)
    }

    @Test func saysWhichSensorsTheRegistryHasOtherwise() throws {
        let body = """
            [{"idsensore":"5551","nometiposensore":"Monossido di Carbonio","unitamisura":"mg/m³"},
             {"idsensore":"12","nometiposensore":"Ozono","unitamisura":"µg/m³"},
             {"idsensore":"13","nometiposensore":"Nikel","unitamisura":"ng/m³"},
             {"idsensore":"14","nometiposensore":"Altro","unitamisura":"\u{3BC}g/m³"},
             {"idsensore":"15","nometiposensore":"Ozono","unitamisura":"µg/m³"}]
            """
        let wanted = [("5551", "co"), ("12", "no2"), ("13", "nickel"), ("14", "x"), ("15", "o3")]
            .map { ARPASensor(id: $0, quantity: $1) }
        let rows = try ARPASensor.places(Array(body.utf8), for: wanted)
        #expect(rows.differing.keys.sorted() == ["12", "13", "5551"])
        #expect(
            rows.differing["5551"]
                == "sensor 5551 is Monossido di Carbonio in mg/m³ in the registry, not co in µg/m³"
        )
        let right = [ARPASensor(id: "5551", quantity: "co", unit: "mg/m³")]
        #expect(try ARPASensor.places(Array(body.utf8), for: right).differing.isEmpty)
    }

    @Test func readsDaysInSolarTimeAndNoValueAsNone() throws {
        let rows = try ARPARows.decode(
            Fixture.bytes("handmade-nicp-bhqi-rows-10043"),
            Self.pm10
        )
        #expect(rows.omittedCount == 0)
        let expected = [
            ("2026-08-21T23:00:00Z", nil), ("2026-08-20T23:00:00Z", 5),
            ("2026-08-19T23:00:00Z", 6), ("2026-08-18T23:00:00Z", 20),
        ].map { (time: String, value: Double?) in
            ImportRow(
                source: "arpa-lombardia",
                series: "10043/pm10",
                unit: "µg/m³",
                time: time,
                value: value
            )
        }
        #expect(Array(rows.rows.prefix(4)) == expected)
    }

    @Test func aValueThatIsNotValidIsNone() throws {
        let body = """
            [{"idsensore":"10043","data":"2026-08-21T00:00:00.000","valore":"5","stato":"NA"},
             {"idsensore":"7","data":"2026-08-21T00:00:00.000","valore":"5","stato":"VA"},
             {"idsensore":"10043","data":"21/08/2026 00:00","valore":"5","stato":"VA"}]
            """
        let rows = try ARPARows.decode(Array(body.utf8), Self.pm10)
        #expect(rows.rows.map(\.value) == [nil])
        #expect(rows.omissions.map(\.place) == ["/1", "/2/data"])
    }

    @Test func saysWhatSocrataRefused() {
        let body = #"{"error":true,"message":"Unrecognized arguments [$foo]"}"#
        #expect(throws: FeedFault.refused("Unrecognized arguments [$foo]")) {
            try ARPARows.decode(Array(body.utf8), Self.pm10)
        }
    }
}
