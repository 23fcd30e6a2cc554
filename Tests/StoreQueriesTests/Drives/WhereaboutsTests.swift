import StoreFixtures
import Testing

@testable import Core
@testable import Store
@testable import StoreQueries

@Suite struct WhereaboutsTests {
    /// Places that a sample of `tube` each second from 0 to 3 s gets, with fixes of the receiver.
    private static func places(
        _ fixes: [(Int64, (latitude: Int64, longitude: Int64)?)],
        _ range: TimeRange = TimeRange(),
        home: (latitude: Double, longitude: Double)?
    ) throws -> [[Double]?] {
        var boot = DriveFixture.Boot("2026-11-22T04:30:00Z")
        let counts = (0..<4).map { (Int64($0), [Outcome.value(FixedPoint(30, decimals: 0))]) }
        let rows = fixes.map { second, place in
            let values = place.map { [$0.latitude, $0.longitude] }
                .map { $0.map { Outcome.value(FixedPoint($0, decimals: 7)) } }
            let rest = Array(repeating: Outcome.noData(.noFix), count: values == nil ? 4 : 2)
            return (second, (values ?? []) + rest)
        }
        boot.samples = [(DriveFixture.tube, counts)]
        if !rows.isEmpty { boot.samples.append((DriveFixture.receiver, rows)) }
        let fixture = try DriveFixture([boot])
        var whereabouts = try Whereabouts(
            fixture.reader,
            fixture.times,
            range,
            home: home
        )
        var samples = try StoreSamples(
            fixture.reader,
            StoreWindow(times: fixture.times, range: range)
        ) { $0.id == DriveFixture.tube.id }
        var found: [[Double]?] = []
        while let sample = try samples.next() {
            found.append(try whereabouts.place(of: sample).map { [$0.latitude, $0.longitude] })
        }
        return found
    }

    private static let fixes: [(Int64, (latitude: Int64, longitude: Int64)?)] = [
        (0, (510_000_000, 10_000_000)), (1, (510_001_000, 10_000_000)),
        (2, (510_002_000, 10_000_000)), (3, (510_003_000, 10_000_000)),
    ]

    @Test func aReceiverWithAFixKnows() throws {
        let places = try Self.places(Self.fixes, home: (46, 11))
        #expect(places == [[51, 1], [51.0001, 1], [51.0002, 1], [51.0003, 1]])
    }

    @Test func whereTheReceiverHadNoneItIsTheStationsPlace() throws {
        var fixes = Self.fixes
        (fixes[1].1, fixes[2].1) = (nil, nil)
        let places = try Self.places(fixes, home: (46, 11))
        #expect(places == [[51, 1], [46, 11], [46, 11], [51.0003, 1]])
    }

    /// A window decides which samples are shown, not where they were measured.
    @Test func fixesBesideTheWindowCount() throws {
        let range = TimeRange(
            from: WallTime(iso8601: "2026-11-22T04:30:01Z"),
            to: WallTime(iso8601: "2026-11-22T04:30:03Z")
        )
        let places = try Self.places([Self.fixes[0], Self.fixes[3]], range, home: nil)
        #expect(places == [[51.0001, 1], [51.0002, 1]])
    }

    @Test func withoutOneItIsTheStationsPlace() throws {
        #expect(try Self.places([], home: (46, 11)) == Array(repeating: [46, 11], count: 4))
        #expect(try Self.places([], home: nil) == Array(repeating: nil, count: 4))
        let blind = Self.fixes.map { ($0.0, (latitude: Int64, longitude: Int64)?.none) }
        #expect(try Self.places(blind, home: (46, 11)) == Array(repeating: [46, 11], count: 4))
    }
}
