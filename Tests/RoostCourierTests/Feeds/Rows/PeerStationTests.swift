import ControlProtocol
import Testing

@testable import RoostCourier

@Suite struct PeerStationTests {
    private static func decode(_ body: String) throws -> StationSummary {
        try PeerStation.decode(Array(body.utf8))
    }

    @Test func readsWhatAStationSaysOfItself() throws {
        let facts = try Self.decode(
            """
            {"station":{"name":"attic","version":"0.9","bootID":"ab","isSimulated":false,
              "visited":true,"latitude":46.1,"longitude":9.8},
             "verdict":{"level":"poor","code":"level.poor","sentence":"Measuring. The air is poor.",
              "sinceSeconds":12.5},
             "channels":[{"quantity":"pm25"},{"quantity":"pm10"},{"quantity":"pm25"},{"id":"x/y"}],
             "lamp":"poor"}
            """
        )
        var expected = StationSummary(
            name: "attic",
            level: "poor",
            code: "level.poor",
            sentence: "Measuring. The air is poor."
        )
        (expected.version, expected.bootID, expected.visited) = ("0.9", "ab", true)
        expected.position = PositionReport(latitude: 46.1, longitude: 9.8)
        expected.sinceSeconds = 12.5
        (expected.quantities, expected.hasLamp) = (["pm10", "pm25"], true)
        #expect(facts == expected)
    }

    @Test func whatItCannotUseIsLeftOut() throws {
        let long = String(repeating: "w", count: 999)
        let facts = try Self.decode(
            """
            {"station":{"name":"a\\u0007\\u202e\\nb","visited":"yes","latitude":91,"longitude":0},
             "verdict":{"level":"splendid","code":"x","sentence":"\(long)"},
             "channels":{},"lamp":null}
            """
        )
        #expect(facts.name == "ab")
        #expect(facts.level == "unknown")
        #expect(facts.sentence.count == 200)
        #expect(facts.visited == nil && facts.position == nil)
        #expect(facts.quantities.isEmpty && !facts.hasLamp)
    }

    @Test(arguments: ["", "[]", "{}", #"{"station":{},"verdict":{}}"#, #"{"station":7}"#])
    func somethingElseIsNoStation(_ body: String) {
        #expect(throws: FeedFault.self) { try Self.decode(body) }
    }
}
