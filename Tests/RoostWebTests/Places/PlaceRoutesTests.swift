import ControlProtocol
import Core
import HTTPTypes
import HardwareIO
import StoreFixtures
import Testing

@testable import RoostWeb
@testable import Store
@testable import StoreQueries

/// Rights to ask for places: owners, and others.
@Suite struct PlaceRoutesTests {
    private static func now(_ text: String) -> WallTime? { WallTime(iso8601: text) }

    private static func range(_ from: String?, _ to: String?) -> TimeRange {
        TimeRange(from: from.flatMap { now($0) }, to: to.flatMap { now($0) })
    }

    @Test(arguments: [
        ("2026-11-12T00:00:00Z", "2026-11-26T00:00:00Z"), ("2026-11-25T00:00:00Z", nil),
        ("2026-11-11T20:00:00Z", "2026-11-11T21:00:00Z"),
    ])
    func othersSeeTheLastTwoWeeks(_ from: String, _ to: String?) throws {
        try PlaceRoutes.checkFortnight(Self.range(from, to), Self.now("2026-11-25T20:00:00Z"))
    }

    @Test(arguments: [
        (nil, nil), (nil, "2026-11-25T00:00:00Z"),
        ("2026-11-11T18:00:00Z", "2026-11-12T00:00:00Z"),
        ("2026-11-12T00:00:00Z", "2026-11-26T02:00:00Z"), ("2020-01-01T00:00:00Z", nil),
    ])
    func nothingEarlierAndNothingLonger(_ from: String?, _ to: String?) {
        #expect(throws: Problem.self) {
            try PlaceRoutes.checkFortnight(Self.range(from, to), Self.now("2026-11-25T20:00:00Z"))
        }
    }

    @Test func aCardIsReadAsAWhole() async throws {
        let fixture = try QueryFixture([.init(started: "2026-04-14T00:00:00Z", minutes: 180)])
        let client = HistoryClient(nil, folder: fixture.path, logger: RouteStage.logger)
        let stage = RouteStage(PlaceRoutes(client, nil, nil).all)
        let answer = await stage.ask("/api/v1/clusters/pm25?from=2020-01-01T00:00:00Z")
        #expect(answer.status == .ok)
        let text = try await RouteStage.text(answer)
        #expect(text.contains(#""withoutPlaceCount":180"#), "\(text)")
        let stations = try await RouteStage.text(await stage.ask("/api/v1/stations"))
        #expect(stations.contains(#""search":"noCourier""#), "\(stations)")
    }

    @Test func sitesOfSomeKindsAloneCanBeAskedFor() async throws {
        let fixture = try QueryFixture([.init(started: "2026-04-14T00:00:00Z", minutes: 1)])
        let client = HistoryClient(nil, folder: fixture.path, logger: RouteStage.logger)
        let stage = RouteStage(PlaceRoutes(client, nil, nil).all)
        for query in ["", "?kind=region", "?kind=region&kind=reference"] {
            #expect(await stage.ask("/api/v1/sites\(query)").status == .ok)
        }
        let wrong = await stage.ask("/api/v1/sites?kind=city")
        #expect(wrong.status == .badRequest)
        #expect(try await RouteStage.text(wrong).contains("region, reference, peer, other"))
    }

    @Test func otherStationsComeAsTheCourierSaysThem() async throws {
        var facts = StationSummary(
            name: "\u{22}><script>",
            level: "poor",
            code: "level.poor",
            sentence: "Measuring. The air is poor."
        )
        (facts.visited, facts.quantities, facts.hasLamp) = (true, ["pm10", "pm25"], true)
        facts.position = PositionReport(latitude: 46.1, longitude: 9.8)
        var attic = FoundStation(name: facts.name, url: "http://10.0.0.5", state: .answers)
        (attic.host, attic.facts) = ("attic.local", facts)
        let barn = FoundStation(name: "barn", url: "http://10.0.0.6", state: .needsToken)
        let report = StationsReport(.done, items: [attic, barn], omittedCount: 2)
        var courier = QuestionTable("this courier", users: LocalUsers())
        courier.on(FindStations.self) { _, _ in report }
        let fixture = try QueryFixture([.init(started: "2026-04-14T00:00:00Z", minutes: 1)])
        let client = HistoryClient(nil, folder: fixture.path, logger: RouteStage.logger)
        let stage = RouteStage(PlaceRoutes(client, nil, courier).all)
        let text = try await RouteStage.text(await stage.ask("/api/v1/stations"))
        #expect(try ControlCodec.message(StationsReport.self, from: text) == report)
        #expect(text.contains(#""name":"\"\u003e\u003cscript\u003e""#))
    }
}
