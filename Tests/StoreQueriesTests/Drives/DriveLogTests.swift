import StoreFixtures
import Testing

@testable import Core
@testable import Store
@testable import StoreQueries

@Suite struct DriveLogTests {
    private static let start = "2026-11-22T04:30:00Z"
    private static let here = (latitude: Int64(460_671_000), longitude: Int64(111_211_000))

    private static func survey(
        _ samples: [(stream: StreamDescription, rows: [(Int64, [Outcome])])]
    ) throws -> (DriveFixture, StoredSurvey) {
        var boot = DriveFixture.Boot(start)
        boot.marks = [.begun(100, "ride"), .ended(200, "ride")]
        boot.samples = samples
        boot.stopped = 300
        let fixture = try DriveFixture([boot])
        let survey = try StoredSurvey.newest(named: "ride", fixture.reader, fixture.times)
        return (fixture, try #require(survey))
    }

    private static func lines(
        _ fixture: DriveFixture,
        _ survey: StoredSurvey,
        _ choice: DriveLog.Choice = DriveLog.Choice()
    ) throws -> [BGeigieRecord] {
        var log = try #require(
            try DriveLog(of: survey, choice, fixture.reader, fixture.times)
        )
        let bytes = try #require(try log.bytes(limit: 1 << 20))
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.hasPrefix("# NEW LOG\r\n# format=1.0.0nano\r\n"))
        #expect(text.hasSuffix("\r\n"))
        let lines = text.split(separator: "\r\n").dropFirst(2)
        #expect(lines.count == log.lineCount)
        return try lines.map { try BGeigieRecord(ArraySlice(Array($0.utf8))) }
    }

    @Test func hasTheSamplesOfTheSurveyAlone() throws {
        let rows = stride(from: Int64(0), to: 300, by: 5).map {
            DriveFixture.row($0, 30 + $0 % 7, (Self.here.latitude + $0 * 100, Self.here.longitude))
        }
        let (fixture, survey) = try Self.survey([(DriveFixture.counter, rows)])
        var choice = DriveLog.Choice()
        choice.deviceNumber = 2_709
        let lines = try Self.lines(fixture, survey, choice)
        #expect(lines.count == 20)
        #expect(lines.first?.time == "2026-11-22T04:31:40Z")
        #expect(lines.last?.time == "2026-11-22T04:33:15Z")
        #expect(lines.map(\.rate) == stride(from: 100, to: 200, by: 5).map { 30 + $0 % 7 })
        #expect(lines.allSatisfy { $0.device == "2709" && $0.hasFix && $0.isCounting })
        #expect(lines.allSatisfy { $0.extras == ["8", "0"] })
        #expect(lines.first?.altitude == FixedPoint(19_500, decimals: 2))
        #expect(try DriveLog.count(in: survey, choice, fixture.reader) == 20)
    }

    /// A missing count makes no line, as that would say 0; without a fix the last place is kept.
    @Test func aMissingValueIsNeverAZero() throws {
        let rows: [(Int64, [Outcome])] = [
            DriveFixture.row(100, 31, nil), DriveFixture.row(105, nil, Self.here),
            DriveFixture.row(110, 32, Self.here), DriveFixture.row(115, 33, nil),
            DriveFixture.row(120, nil, nil),
        ]
        let (fixture, survey) = try Self.survey([(DriveFixture.counter, rows)])
        let lines = try Self.lines(fixture, survey)
        #expect(lines.map(\.rate) == [32, 33])
        #expect(lines.map(\.hasFix) == [true, false])
        #expect(lines.map(\.extras) == [["8", "0"], ["0", "0"]])
        #expect(lines[1].latitude == lines[0].latitude)
        #expect(lines[1].altitude == lines[0].altitude)
    }

    @Test func takesThePlaceFromAReceiverOfItsOwn() throws {
        let counts = stride(from: Int64(100), to: 200, by: 10).map {
            ($0, [Outcome.value(FixedPoint(40, decimals: 0))])
        }
        let fixes = stride(from: Int64(95), to: 150, by: 10).map { second in
            (
                second,
                [
                    FixedPoint(Self.here.latitude + second * 1_000, decimals: 7),
                    FixedPoint(Self.here.longitude, decimals: 7),
                    FixedPoint(20_000, decimals: 2), FixedPoint(600, decimals: 2),
                ].map { Outcome.value($0) }
            )
        }
        let (fixture, survey) = try Self.survey([
            (DriveFixture.tube, counts), (DriveFixture.receiver, fixes),
        ])
        let lines = try Self.lines(fixture, survey)
        // Within the survey the fixes begin at 105 and end at 145.
        #expect(lines.map(\.hasFix) == (0..<9).map { $0 < 4 })
        // Between two fixes, and beside the last one.
        let expected = Self.here.latitude + 110 * 1_000
        #expect(abs(lines[0].latitude.degrees.mantissa - expected) < 10)
        #expect(abs(lines[8].latitude.degrees.mantissa - Self.here.latitude - 145_000) < 10)
        #expect(lines[4].latitude == lines[8].latitude && lines[4].extras == ["0", "0"])
        // 6 m are an HDOP of 1.
        #expect(lines[1].extras == ["8", "100"])
        #expect(lines[1].altitude == FixedPoint(20_000, decimals: 2))
        var named = DriveLog.Choice()
        named.position = "nothing"
        var none = try DriveLog(of: survey, named, fixture.reader, fixture.times)
        #expect(try none?.next() == nil)
    }

    /// No place is made up where the receiver says that it knows none, however near a fix is.
    @Test func aReceiverWithoutAFixIsVoid() throws {
        let counts = (Int64(100)..<200).map { ($0, [Outcome.value(FixedPoint(40, decimals: 0))]) }
        let said = (Int64(100)..<200).map { second in
            let place = [Self.here.latitude + second * 1_000, Self.here.longitude].map {
                Outcome.value(FixedPoint($0, decimals: 7))
            }
            let isLost = (120..<165).contains(second) || second == 180
            let none = Outcome.noData(.noFix)
            return (second, (isLost ? [none, none] : place) + [none, none])
        }
        let (fixture, survey) = try Self.survey([
            (DriveFixture.tube, counts), (DriveFixture.receiver, said),
        ])
        let lines = try Self.lines(fixture, survey)
        let void = lines.indices.filter { !lines[$0].hasFix }.map { $0 + 100 }
        #expect(void == Array(120..<165) + [180])
        #expect(lines[20..<65].allSatisfy { $0.extras == ["0", "0"] })
        #expect(Set(lines[19..<65].map(\.latitude.degrees)).count == 1)
    }

    @Test func leavesOutWhatNoTargetGets() throws {
        let rows = [DriveFixture.row(110, 32, Self.here)]
        let (fixture, survey) = try Self.survey([(DriveFixture.counter, rows)])
        var choice = DriveLog.Choice()
        choice.takes = { _, quantity in quantity != "latitude" }
        var log = try DriveLog(of: survey, choice, fixture.reader, fixture.times)
        #expect(try log?.next() == nil)
        choice.takes = { device, _ in device != "geiger" }
        #expect(try DriveLog(of: survey, choice, fixture.reader, fixture.times) == nil)
        #expect(try DriveLog.count(in: survey, choice, fixture.reader) == 0)
        choice = DriveLog.Choice()
        choice.counter = "tube"
        #expect(try DriveLog(of: survey, choice, fixture.reader, fixture.times) == nil)
    }

    @Test func isNilBeyondItsLimit() throws {
        let rows = [DriveFixture.row(110, 32, Self.here)]
        let (fixture, survey) = try Self.survey([(DriveFixture.counter, rows)])
        let choice = DriveLog.Choice()
        var log = try #require(try DriveLog(of: survey, choice, fixture.reader, fixture.times))
        let length = try #require(try log.bytes(limit: 1_000)?.count)
        var second = try #require(try DriveLog(of: survey, choice, fixture.reader, fixture.times))
        #expect(try second.bytes(limit: length - 1) == nil)
        var third = try #require(try DriveLog(of: survey, choice, fixture.reader, fixture.times))
        #expect(try third.bytes(limit: length)?.count == length)
    }
}
