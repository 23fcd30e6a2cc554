import StoreFixtures
import Testing

@testable import Core
@testable import Store
@testable import StoreQueries

@Suite struct StoredSurveyTests {
    private static func ticks(_ survey: StoredSurvey) -> [Int64?] {
        [survey.from.tenths / 10, survey.to.map { $0.tenths / 10 }]
    }

    @Test func endsByItsMarkOrTheNextOneOrItsRun() throws {
        var first = DriveFixture.Boot("2026-11-22T04:30:00Z")
        first.marks = [
            .begun(10, "a"), .ended(20, "a"), .begun(30, "b"), .begun(40, "c", isPrivate: true),
            .ended(50, "c"), .begun(60, "killed"),
        ]
        first.samples = [(DriveFixture.counter, [DriveFixture.row(99, 5, nil)])]
        var second = DriveFixture.Boot("2026-11-23T04:30:00Z")
        second.marks = [.begun(10, "a"), .ended(20, "a"), .begun(70, "goes on")]
        let fixture = try DriveFixture([first, second], now: 100)
        let all = try StoredSurvey.all(fixture.reader, fixture.times)
        #expect(all.map(\.name) == ["a", "b", "c", "killed", "a", "goes on"])
        #expect(
            all.map(Self.ticks) == [
                [10, 20], [30, 40], [40, 50], [60, 99], [10, 20], [70, nil],
            ]
        )
        #expect(all.map(\.isPrivate) == [false, false, true, false, false, false])
        #expect(all[0].range.from == WallTime(iso8601: "2026-11-22T04:30:10Z"))
        #expect(all[0].range.to == WallTime(iso8601: "2026-11-22T04:30:20Z"))
        #expect(all[5].range.to == nil)
        let newest = try StoredSurvey.newest(named: "a", fixture.reader, fixture.times)
        #expect(newest == all[4])
        #expect(try StoredSurvey.newest(named: "x", fixture.reader, fixture.times) == nil)
    }

    /// A sample in the tick in which a private survey ended belongs to that survey.
    @Test func beginsAfterThePrivateOneBeforeIt() throws {
        var boot = DriveFixture.Boot("2026-11-22T04:30:00Z")
        boot.marks = [
            .begun(10, "kept", isPrivate: true), .ended(20, "kept"), .begun(20, "open"),
            .ended(30, "open"), .begun(30, "kept too", isPrivate: true), .ended(40, "kept too"),
        ]
        boot.samples = [
            (DriveFixture.counter, [10, 20, 30].map { DriveFixture.row($0, 5, (10, 10)) })
        ]
        boot.stopped = 50
        let fixture = try DriveFixture([boot])
        let all = try StoredSurvey.all(fixture.reader, fixture.times)
        let counts = try all.map {
            try DriveLog.count(in: $0, DriveLog.Choice(), fixture.reader)
        }
        #expect(counts == [1, 0, 1])
        #expect(all[1].from == Tick(tenths: 201))
    }

    @Test func hasNoDatesInABootWithoutAClock() throws {
        var boot = DriveFixture.Boot(nil)
        boot.marks = [.begun(10, "a"), .ended(20, "a")]
        boot.stopped = 30
        let fixture = try DriveFixture([boot])
        let all = try StoredSurvey.all(fixture.reader, fixture.times)
        #expect(all.map(\.range) == [TimeRange()])
        #expect(try StoredSurvey.newest(named: "a", fixture.reader, fixture.times) == nil)
    }
}
