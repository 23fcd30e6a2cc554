import Core
import Testing

@testable import Profiles

@Suite struct LocationTrackTests {
    private static func at(_ seconds: Int64) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: seconds * 1_000_000_000)
    }

    private static func place(_ latitude: Double, _ longitude: Double) throws -> Position {
        try #require(
            Position(
                latitude: Int64((latitude * 1e7).rounded()),
                longitude: Int64((longitude * 1e7).rounded())
            )
        )
    }

    private static func track(
        _ fixes: [(Int64, Double, Double)]
    ) throws -> LocationTrack {
        var track = LocationTrack(gapLimit: .seconds(60), holdLimit: .seconds(30))
        for (seconds, latitude, longitude) in fixes {
            #expect(track.append(try place(latitude, longitude), at: at(seconds)))
        }
        return track
    }

    /// Fixes at 100 s and 110 s, unless said otherwise.
    @Test(
        arguments: [
            // Half of the way, a third of it rounded, and the fixes themselves.
            ([(100, 10, 20), (110, 11, 22)], 105, 10.5, 21),
            ([(100, 0, 0), (103, 0.000_000_1, -0.000_000_2)], 101, 0, -0.000_000_1),
            // Across the date line either way.
            ([(100, 5, 179), (110, 5, -179)], 102, 5, 179.4),
            ([(100, 5, 179), (110, 5, -179)], 108, 5, -179.4),
            ([(100, 5, -179), (110, 5, 179)], 108, 5, 179.4),
            ([(100, 5, 179), (110, 5, -179)], 105, 5, -180),
            // Near a pole, and between opposite meridians, the nearer fix.
            ([(100, 89.5, 10), (110, 89.5, -170)], 104, 89.5, 10),
            ([(100, -89.5, 10), (110, -88, 60)], 106, -88, 60),
            ([(100, 0, 0), (110, 0, -180)], 105, 0, 0),
            // Before the first, after the last, beside a gap.
            ([(100, 1, 2)], 70, 1, 2), ([(100, 1, 2)], 130, 1, 2),
            ([(100, 1, 2), (161, 3, 4)], 130, 1, 2), ([(100, 1, 2), (161, 3, 4)], 131, 3, 4),
            ([(100, 1, 2), (160, 3, 4)], 130, 2, 3),
        ] as [([(Int64, Double, Double)], Int64, Double, Double)]
    )
    func findsThePlace(
        fixes: [(Int64, Double, Double)],
        seconds: Int64,
        latitude: Double,
        longitude: Double
    ) throws {
        let track = try Self.track(fixes)
        let expected = try Self.place(latitude, longitude)
        #expect(track.position(at: Self.at(seconds)) == .at(expected, .estimated))
    }

    @Test func aFixIsNotEstimated() throws {
        let track = try Self.track([(100, 1, 2), (110, 3, 4)])
        #expect(track.position(at: Self.at(100)) == .at(try Self.place(1, 2), []))
        #expect(track.position(at: Self.at(110)) == .at(try Self.place(3, 4), []))
    }

    @Test func saysNothingFarFromEveryFix() throws {
        let track = try Self.track([(100, 1, 2), (200, 3, 4)])
        for seconds: Int64 in [0, 69, 131, 169, 231, 100_000] {
            #expect(track.position(at: Self.at(seconds)) == .noData(.stale))
        }
        #expect(LocationTrack().position(at: .boot) == .noData(.stale))
    }

    /// Neither joined nor held beyond what the receiver said itself.
    @Test func aLostFixEndsAPlace() throws {
        var track = try Self.track([(100, 1, 2)])
        let taken = [track.lose(at: Self.at(105)), track.lose(at: Self.at(105))]
        #expect(taken == [true, false])
        track.append(try Self.place(3, 4), at: Self.at(110))
        #expect(track.position(at: Self.at(104)) == .at(try Self.place(1, 2), .estimated))
        #expect(track.position(at: Self.at(105)) == .noData(.noFix))
        #expect(track.position(at: Self.at(106)) == .at(try Self.place(3, 4), .estimated))
        track.lose(at: Self.at(120))
        #expect(track.position(at: Self.at(121)) == .noData(.noFix))
    }

    @Test func refusesPlacesThatAreNone() {
        #expect(Position(latitude: 900_000_001, longitude: 0) == nil)
        #expect(Position(latitude: 0, longitude: -1_800_000_001) == nil)
        #expect(Position(latitude: .min, longitude: .max) == nil)
        #expect(Position(latitude: 0, longitude: 1_800_000_000)?.longitude == -1_800_000_000)
        #expect(Position(FixedPoint(123_456_789, decimals: 8), 0) == nil)
        #expect(Position(FixedPoint(-125, decimals: 1), 7)?.latitude == -125_000_000)
    }

    @Test func keepsTheLatestAndTheOrder() throws {
        var track = LocationTrack(gapLimit: .seconds(5), holdLimit: .zero)
        let count = Int64(LocationTrack.fixLimit) + 100
        for second in 0..<count {
            track.append(try Self.place(0, Double(second) / 100), at: Self.at(second))
        }
        #expect(track.count == LocationTrack.fixLimit)
        #expect(track.position(at: Self.at(99)) == .noData(.stale))
        for second in [100, 2_000, count - 1] {
            let expected = try Self.place(0, Double(second) / 100)
            #expect(track.position(at: Self.at(second)) == .at(expected, []))
        }
        #expect(!track.append(try Self.place(1, 1), at: Self.at(count - 1)))
        #expect(!track.append(try Self.place(1, 1), at: Self.at(5)))
        track.reset()
        #expect(track.append(try Self.place(1, 1), at: Self.at(5)))
        #expect(track.position(at: Self.at(5)) == .at(try Self.place(1, 1), []))
    }
}
