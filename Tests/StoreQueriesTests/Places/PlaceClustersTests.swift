import Testing

@testable import StoreQueries

@Suite struct PlaceClustersTests {
    /// Metres of a degree of latitude.
    private static let degree = 111_195.08

    private static func value(_ north: Double, _ east: Double, _ value: Double = 1) -> PlacedValue {
        // At the equator a degree of longitude is as long.
        guard
            let made = PlacedValue(latitude: north / degree, longitude: east / degree, value: value)
        else { preconditionFailure("no place") }
        return made
    }

    /// A generator with a seed.
    private struct Chance: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            var word = state
            word ^= word >> 33
            word = word &* 0xFF51_AFD7_ED55_8CCD
            return word ^ (word >> 33)
        }
    }

    private static func distance(_ cluster: PlaceCluster, _ value: PlacedValue) -> Double {
        let (north, east) = (cluster.latitude - value.latitude, cluster.longitude - value.longitude)
        return (north * north + east * east).squareRoot() * degree
    }

    @Test func oneDayAtHomeIsOneClusterWithItsMean() {
        let values = [Self.value(0, 0, 10), Self.value(30, 0, 20), Self.value(0, 60, 30)]
        let found = PlaceClusters(values)
        #expect(found.clusters.count == 1 && found.assignment == [0, 0, 0])
        let cluster = found.clusters[0]
        #expect(cluster.count == 3 && cluster.mean == 20)
        #expect(cluster.minimum == 10 && cluster.maximum == 30)
        #expect(abs(cluster.latitude * Self.degree - 10) < 0.01)
        #expect(abs(cluster.longitude * Self.degree - 20) < 0.01)
        #expect(abs(cluster.radius - 41.23) < 0.01)
    }

    /// Both points are 190 m from the middle; 10 m farther they make two clusters.
    @Test func reachIsFromTheCentre() {
        #expect(PlaceClusters([Self.value(0, 0), Self.value(0, 380)]).clusters.count == 1)
        #expect(PlaceClusters([Self.value(0, 0), Self.value(0, 410)]).clusters.count == 2)
    }

    @Test func theLargestIsFirstAndNothingIsNoCluster() {
        let values = [Self.value(0, 0)] + (0..<5).map { Self.value(5_000, Double($0)) }
        let found = PlaceClusters(values)
        #expect(found.clusters.map(\.count) == [5, 1])
        #expect(found.assignment == [1, 0, 0, 0, 0, 0])
        #expect(PlaceClusters([]).clusters.isEmpty)
    }

    @Test func acrossThe180thMeridianAndAtAPoleNearIsNear() throws {
        let east = try #require(PlacedValue(latitude: 0, longitude: 179.9995, value: 1))
        let west = try #require(PlacedValue(latitude: 0, longitude: -179.9995, value: 3))
        #expect(PlaceClusters([east, west]).clusters.map(\.mean) == [2])
        let pole = [0.0, 90, 180, -90].compactMap {
            PlacedValue(latitude: 89.9999, longitude: $0, value: 1)
        }
        #expect(PlaceClusters(pole).clusters.count == 1)
    }

    @Test func whatIsNoPlaceIsRefused() {
        #expect(PlacedValue(latitude: 91, longitude: 0, value: 1) == nil)
        #expect(PlacedValue(latitude: 0, longitude: -180.1, value: 1) == nil)
        #expect(PlacedValue(latitude: .nan, longitude: 0, value: 1) == nil)
        #expect(PlacedValue(latitude: 0, longitude: 0, value: .infinity) == nil)
    }

    /// Walks through a town: crowded places, lines, and single points.
    private static func walk(_ seed: UInt64) -> [PlacedValue] {
        var chance = Chance(state: seed)
        var values: [PlacedValue] = []
        let centres = (0..<Int.random(in: 1...9, using: &chance)).map { _ in
            (
                Double.random(in: 0...2_500, using: &chance),
                Double.random(in: 0...2_500, using: &chance)
            )
        }
        for _ in 0..<Int.random(in: 1...400, using: &chance) {
            let (north, east) = centres[Int.random(in: centres.indices, using: &chance)]
            let spread = [5.0, 80, 300, 900][Int.random(in: 0..<4, using: &chance)]
            values.append(
                value(
                    north + Double.random(in: -spread...spread, using: &chance),
                    east + Double.random(in: -spread...spread, using: &chance),
                    Double.random(in: 0...100, using: &chance)
                )
            )
        }
        return values
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func eachIsInOneClusterWithinReachWhateverTheOrder(seed: UInt64) {
        let values = Self.walk(seed)
        let found = PlaceClusters(values)
        #expect(found.clusters.reduce(0) { $0 + $1.count } == values.count)
        for (value, index) in zip(values, found.assignment) {
            #expect(Self.distance(found.clusters[index], value) <= PlaceClusters.reach + 0.01)
        }
        // No two of them could be one: the centre of both would be within reach of all.
        var chance = Chance(state: seed &+ 1_000)
        for _ in 0..<3 {
            let order = values.indices.shuffled(using: &chance)
            let other = PlaceClusters(order.map { values[$0] })
            #expect(other.clusters == found.clusters)
            #expect(
                order.indices.allSatisfy { other.assignment[$0] == found.assignment[order[$0]] }
            )
        }
    }

    /// A mistake of the sort that the test above must see: clusters of what is near the first.
    @Test func noTwoClustersCouldBeOne() {
        for seed in 1...20 as ClosedRange<UInt64> {
            let values = Self.walk(seed)
            let found = PlaceClusters(values)
            for first in found.clusters.indices {
                for second in found.clusters.indices where second > first {
                    let members = values.indices.filter {
                        [first, second].contains(found.assignment[$0])
                    }
                    let joined = members.map { values[$0] }
                    let count = Double(joined.count)
                    let centre = (
                        joined.reduce(0) { $0 + $1.latitude } / count,
                        joined.reduce(0) { $0 + $1.longitude } / count
                    )
                    let far = joined.map { value in
                        let north = value.latitude - centre.0
                        let east = value.longitude - centre.1
                        return (north * north + east * east).squareRoot() * Self.degree
                    }
                    #expect((far.max() ?? 0) > PlaceClusters.reach - 0.01)
                }
            }
        }
    }
}
