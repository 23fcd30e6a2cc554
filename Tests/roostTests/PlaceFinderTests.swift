import Core
import Testing

@testable import Profiles
@testable import Store
@testable import StoreQueries
@testable import roost

@Suite struct PlaceFinderTests {
    private static let boots = (1...2).map { BootID(bytes: Array(repeating: $0, count: 16)) }
    private static let geiger = StreamDescription(
        id: StreamID(2),
        device: "bgeigie",
        quantities: [
            .pm25, Quantity(name: "latitude", unit: "°", decimals: 7),
            Quantity(name: "longitude", unit: "°", decimals: 7),
        ]
    )

    private static func sample(_ boot: Int, _ second: Int64, _ outcomes: [Outcome]) -> DatedSample {
        DatedSample(
            stream: geiger,
            boot: boots[boot],
            tick: Tick(tenths: second * 10),
            time: nil,
            outcomes: outcomes
        )
    }

    private static func fix(_ boot: Int, _ second: Int64, _ degrees: Int64) -> DatedSample {
        let place = FixedPoint(degrees * 10_000_000, decimals: 7)
        return sample(boot, second, [.noData(.stale), .value(place), .value(place)])
    }

    private static func finder(
        _ fixes: [DatedSample]
    ) throws -> PlaceFinder<SequenceSource<[DatedSample]>> {
        let ordinals = Dictionary(uniqueKeysWithValues: zip(boots, UInt32(0)...))
        return try PlaceFinder(SequenceSource(fixes), ordinals: ordinals)
    }

    @Test func placesLieOnFixesBetweenThemAndNearThem() throws {
        var finder = try Self.finder([
            Self.fix(0, 100, 10), Self.sample(0, 105, Array(repeating: .noData(.stale), count: 3)),
            Self.fix(0, 140, 20), Self.fix(0, 500, 30), Self.fix(1, 10, 40),
        ])
        let asked: [(Int, Int64)] = [
            (0, 60), (0, 80), (0, 100), (0, 120), (0, 165), (0, 300), (0, 500), (0, 900), (1, 5),
            (1, 10),
        ]
        let words = try asked.map { boot, second in
            PlaceReport(try finder.place(of: Self.sample(boot, second, []))).text
        }
        #expect(
            words == [
                "place unknown", "at 10.0000000° 10.0000000° (estimated)",
                "at 10.0000000° 10.0000000°", "at 15.0000000° 15.0000000° (estimated)",
                "at 20.0000000° 20.0000000° (estimated)", "place unknown",
                "at 30.0000000° 30.0000000°", "place unknown",
                "at 40.0000000° 40.0000000° (estimated)", "at 40.0000000° 40.0000000°",
            ]
        )
    }

    @Test func aBootWithoutAFixKnowsNoPlace() throws {
        var finder = try Self.finder([Self.fix(0, 10, 1)])
        let first = try finder.place(of: Self.sample(0, 10, []))
        let second = try finder.place(of: Self.sample(1, 10, []))
        #expect(PlaceReport(first).latitude == "1.0000000")
        #expect(PlaceReport(second).latitude == nil)
    }

    @Test func onlyAStreamWithBothKnowsAPlace() {
        #expect(PlaceFinder<StoreSamples>.knows(Self.geiger))
        let half = StreamDescription(
            id: StreamID(3),
            device: "half",
            quantities: [Quantity(name: "latitude", unit: "°", decimals: 7)]
        )
        #expect(!PlaceFinder<StoreSamples>.knows(half))
    }
}
