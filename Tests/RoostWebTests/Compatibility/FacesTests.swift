import ControlProtocol
import Core
import HTTPTypes
import StoreFixtures
import Testing

@testable import RoostWeb
@testable import Store
@testable import StoreQueries

@Suite struct FacesTests {
    private static func fixture(_ started: String = "2026-04-14T00:00:00Z") throws -> QueryFixture {
        try QueryFixture([QueryFixture.Boot(started: started, minutes: 180)]) { $0 / 60 }
    }

    // MARK: Settings

    @Test func readsWhichFacesAreOn() throws {
        let text = #"{"alert": {"port": 8080}, "airrohr": {}}"#
        let settings = try FaceSettings(parsing: Array(text.utf8))
        #expect(settings.entries[.alert] == FaceSettings.Entry(port: 8_080))
        #expect(settings.entries[.airrohr] == FaceSettings.Entry())
        #expect(settings.entries[.files] == nil)
        #expect(try FaceSettings(parsing: Array("{}".utf8)).entries.isEmpty)
    }

    @Test(arguments: [
        ("[]", "it has to be"), ("{\"alert\": true}", "it has to be"), ("", "it has to be"),
        ("{\"pull\": {}}", "/pull is no face; there are alert, files,"),
        ("{\"alert\": {\"port\": 0}}", "/alert/port has to be a whole number from 1 to 65535"),
        ("{\"alert\": {\"port\": \"80\"}}", "/alert/port has to be"),
        ("{\"alert\": {\"port\": 80.5}}", "/alert/port has to be"),
        ("{\"alert\": {\"prot\": 80}}", "/alert/prot is not known; there is port"),
        ("{\"alert\": {\"port\": 80}, \"files\": {\"port\": 80}}", "port 80 is given to two faces"),
    ])
    func aMistakeNamesItsPlace(text: String, words: String) {
        let error = #expect(throws: FaceSettings.Mistake.self) {
            _ = try FaceSettings(parsing: Array(text.utf8))
        }
        #expect(error?.description.hasPrefix(words) == true)
    }

    @Test func anyBytesAreReadOrRefused() {
        var random = SeededGenerator(seed: 15)
        let seed = Array(#"{"files":{"port":40000},"airrohr":{},"alert":{"port":1}}"#.utf8)
        for _ in 0..<2_000 {
            var bytes = seed
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] =
                    UInt8.random(in: 0...255, using: &random)
            }
            do { _ = try FaceSettings(parsing: bytes) } catch {
                #expect(!error.description.isEmpty)
            }
        }
    }

    private struct SeededGenerator: RandomNumberGenerator {
        private var state: UInt64

        init(seed: UInt64) { state = seed }

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }

    // MARK: Who may ask

    @Test(arguments: [
        ("127.0.0.1", true), ("192.168.1.7", true), ("10.1.2.3", true), ("172.16.0.1", true),
        ("172.31.255.255", true), ("169.254.3.4", true), ("::1", true), ("fe80::1%eth0", true),
        ("fd12:3456::1", true), ("::ffff:192.168.1.7", true), ("172.32.0.1", false),
        ("8.8.8.8", false), ("192.169.1.1", false), ("2001:db8::1", false), ("", false),
        ("::ffff:8.8.8.8", false), ("::", false), ("10.1.2", false),
    ])
    func onlyTheLocalNetworkIsAnswered(address: String, isLocal: Bool) async throws {
        #expect(LocalNetwork.contains(PeerAddress(address)) == isLocal)
        let response = await FaceStage(try Self.fixture()).get("/compat/alert", from: address)
        #expect(response.status == (isLocal ? .ok : .forbidden))
    }

    @Test func aFaceThatIsOffIsNotThere() async throws {
        let sources = FaceSources(
            HistoryClient(nil, folder: "/nonexistent", logger: FaceStage.logger),
            nil,
            nil,
            name: "balcony",
            zone: .utc,
            logger: FaceStage.logger
        )
        #expect(Faces(FaceSettings(), sources).routes.isEmpty)
        let one = Faces(FaceSettings([.alert: FaceSettings.Entry(port: 8_080)]), sources)
        #expect(one.routes.map(\.path) == ["/compat/alert"])
        #expect(one.ports.map(\.port) == [8_080])
        #expect(one.ports.first?.routes.map(\.path) == ["/"])
    }

    // MARK: Present values

    private static func values(_ channels: [(String, String?, isStale: Bool)]) -> FreshValues {
        let reports = channels.map { name, value, isStale in
            ChannelReport(
                channel: name,
                unit: "",
                latest: ReadingReport(
                    channel: name,
                    instantSeconds: 10,
                    ageSeconds: 3.4,
                    outcome: (value.flatMap { Measured($0) }, nil),
                    unit: "",
                    quality: []
                ),
                valueAgeSeconds: 3.4,
                isStale: isStale
            )
        }
        return FreshValues(reports)
    }

    @Test func aLineHasElevenValuesAndTenSemicolons() {
        let names = [
            "temperature", "humidity", "pressure", "altitude", "tvocs", "co2", "pm05", "pm1",
            "pm25", "pm4", "pm10",
        ]
        let board = [
            "25.4", "48.0", "102700", "122", "585", "3850", "3.1", "4.2", "6.8", "7.9", "8.4",
        ]
        let whole = zip(names, board).map { ("attic/" + $0, Optional($1), isStale: false) }
        // A reply of such a board, word for word.
        #expect(
            SemicolonFace.line(Self.values(whole))
                == "25.4;48.0;102700;122;585;3850;3.1;4.2;6.8;7.9;8.4"
        )
        #expect(
            SemicolonFace.line(
                Self.values([("dust/pm25", "12.3", false), ("dust/pm10", "18.5", true)])
            ) == ";;;;;;;;12.3;;"
        )
    }

    @Test func airrohrHasTextWithTwoDecimals() {
        let both = Self.values([("dust/pm25", "12.3", false), ("dust/pm10", "18.5", false)])
        #expect(
            AirrohrFace.text(both)
                == "{\"software_version\": \"roost-\(RoostVersion.text)\", \"age\":\"3\", "
                + "\"sensordatavalues\":[{\"value_type\":\"SDS_P1\",\"value\":\"18.50\"},"
                + "{\"value_type\":\"SDS_P2\",\"value\":\"12.30\"}]}"
        )
        let none = AirrohrFace.text(Self.values([("dust/pm25", "12.3", true)]))
        #expect(none.hasSuffix("\"age\":\"0\", \"sensordatavalues\":[]}"))
    }

    private static func climate(
        _ profile: String,
        _ values: [(String, Double, String)],
        stale: Set<String> = []
    ) -> [ChannelReport] {
        values.map { name, value, unit in
            var report = ChannelReport(
                channel: "air/" + name,
                unit: unit,
                latest: ReadingReport(
                    channel: "air/" + name,
                    instantSeconds: 10,
                    ageSeconds: 3,
                    outcome: (Measured(value, decimals: 2), nil),
                    unit: unit,
                    quality: []
                ),
                valueAgeSeconds: 3,
                isStale: stale.contains(name)
            )
            report.facts = ChannelFacts(decimals: 2, profile: profile, range: nil)
            return report
        }
    }

    @Test(arguments: [
        ("bosch-bme280", ["BME280_temperature", "BME280_humidity", "BME280_pressure"]),
        ("generic-line", ["BME280_temperature", "BME280_humidity", "BME280_pressure"]),
        ("bosch-bmp180", ["BMP_temperature", "BMP_humidity", "BMP_pressure"]),
    ])
    func airrohrNamesClimateAsTheFirmware(profile: String, names: [String]) {
        let channels = Self.climate(
            profile,
            [("temperature", 25.08, "°C"), ("humidity", 46.33, "%"), ("pressure", 1_006.53, "hPa")]
        )
        let items = AirrohrClimate.items(channels)
        #expect(items.map(\.type) == names)
        let texts = items.map { JSONTextBuilder.fixed($0.value, 2) }
        #expect(texts == ["25.08", "46.33", "100653.00"])
    }

    @Test func airrohrLeavesOutWhatHasNoNameThere() {
        let plain = Self.climate(
            "aosong-dht22",
            [("temperature", 20, "°C"), ("humidity", 50, "%")]
        )
        #expect(AirrohrClimate.items(plain).map(\.type) == ["temperature", "humidity"])
        let co2 = [("temperature", 20, "°C"), ("humidity", 50, "%"), ("co2", 812.0, "ppm")]
        #expect(
            AirrohrClimate.items(Self.climate("sensirion-scd4x", co2)).map(\.type)
                == ["SCD30_temperature", "SCD30_humidity", "SCD30_co2_ppm"]
        )
        let board = Self.climate("nxp-lm75", [("temperature", 20, "°C")])
        #expect(AirrohrClimate.items(board).isEmpty)
        #expect(AirrohrClimate.items(Self.climate("x", [("temperature", 68, "°F")])).isEmpty)
        let dust = Self.climate("x", [("pm25", 3, "µg/m³"), ("temperature", 20, "°C")])
        #expect(AirrohrClimate.items(dust).isEmpty)
    }

    /// A BME280 without a humidity for a while is no BMP280.
    @Test(arguments: [
        ("humidity", ["BME280_temperature", "BME280_pressure"]),
        ("pressure", ["BME280_temperature", "BME280_humidity"]),
        ("temperature", ["BME280_humidity", "BME280_pressure"]),
    ])
    func airrohrKeepsItsNamesWhileAValueIsStale(stale: String, names: [String]) {
        let values: [(String, Double, String)] = [
            ("temperature", 25.08, "°C"), ("humidity", 46.33, "%"), ("pressure", 1_006.53, "hPa"),
        ]
        let fresh = FreshValues(Self.climate("bosch-bme280", values, stale: [stale]))
        let items = fresh.devices.flatMap(AirrohrClimate.items)
        #expect(items.map(\.type) == names)
    }

    /// A BMP280 sold as a BME280 says that it measures no humidity.
    @Test func airrohrNamesNothingByWhatAPartLacks() {
        let values: [(String, Double, String)] = [
            ("temperature", 25.08, "°C"), ("pressure", 1_006.53, "hPa"),
        ]
        let lacking = ReadingReport(
            channel: "air/humidity",
            instantSeconds: 10,
            ageSeconds: 3,
            outcome: (nil, NoData.notMeasured.rawValue),
            unit: "%",
            quality: []
        )
        let humidity = ChannelReport(
            channel: "air/humidity",
            unit: "%",
            latest: lacking,
            valueAgeSeconds: nil,
            isStale: true
        )
        let items = AirrohrClimate.items(Self.climate("bosch-bme280", values) + [humidity])
        #expect(items.map(\.type) == ["BMP280_temperature", "BMP280_pressure"])
    }

    /// The temperature of a dust sensor without a fresh PM2.5 is still no climate.
    @Test func airrohrKnowsADustSensorWithoutAValue() {
        let values: [(String, Double, String)] = [
            ("pm25", 3, "µg/m³"), ("temperature", 20, "°C"), ("humidity", 50, "%"),
        ]
        let fresh = FreshValues(Self.climate("x", values, stale: ["pm25"]))
        #expect(fresh.devices.flatMap(AirrohrClimate.items).isEmpty)
    }

    @Test(arguments: [(1_006.53, "hPa", "100653"), (100.65, "kPa", "100650"), (7.25, "Pa", "7.25")])
    func semicolonsHavePressureInPascals(value: Double, unit: String, text: String) {
        let one = Self.climate("bosch-bme280", [("pressure", value, unit)])
        #expect(SemicolonFace.line(FreshValues(one)) == ";;\(text);;;;;;;;")
    }

    // MARK: Two weeks

    @Test(arguments: [
        (10, 9, 20, "The end date is before the start date."),
        (5, 20, 20, "The dates are more than 14 days apart."),
        (5, 10, 20, "The start date is more than 14 days ago."),
    ])
    func refusesInWords(start: Int, end: Int, today: Int, words: String) {
        #expect(FortnightFace.refusal(start, end, today: today) == words)
    }

    @Test func answersADayAndAFortnight() {
        #expect(FortnightFace.refusal(6, 20, today: 20) == nil)
        #expect(FortnightFace.refusal(20, 20, today: 20) == nil)
        #expect(FortnightFace.day("23/05/2020") == 18_405)
        for text in ["23-05-2020", "31/02/2020", "5/2020", "", "1/1/20", "001/1/2020"] {
            #expect(FortnightFace.day(text) == nil, "\(text)")
        }
    }

    @Test func meansGoFromMidnightToMidnight() async throws {
        let stage = FaceStage(try Self.fixture("2020-05-23T00:00:00Z"), isSimulated: true)
        let days = "/compat/history?start=23/05/2020&end=27/05/2020"
        let text = try await stage.text(days + "&now=2020-05-28T12:00:00Z")
        #expect(text.hasPrefix(#"{"start":"23/05/2020","end":"27/05/2020","items":[{"#))
        #expect(
            text.contains(#""channel":"dust/pm25","cluster":0,"unit":"µg/m³","mean":8.95,"n":180"#)
        )
        #expect(await stage.get(days).status == .badRequest)
        let real = FaceStage(try Self.fixture())
        #expect(await real.get(days + "&now=2020-05-28T12:00:00Z").status == .badRequest)
    }
}
