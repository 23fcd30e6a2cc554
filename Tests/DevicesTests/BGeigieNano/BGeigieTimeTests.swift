import Testing

@testable import Core
@testable import Devices

/// The time that a bGeigie's own receiver knows.
@Suite struct BGeigieTimeTests {
    private static let content =
        "BNRDD,2709,2016-09-20T04:09:17Z,42,2,3423,A,5147.9350,N,00010.5185,E,84.10,A,10,83"

    private static func times(_ contents: [String]) -> [WallTime] {
        var dialect = BGeigieNanoDialect()
        let text = contents.map { content in
            let checksum = content.utf8.reduce(0, ^)
            let digits = String(checksum, radix: 16, uppercase: true)
            return "$\(content)*\(checksum < 16 ? "0" : "")\(digits)\r\n"
        }
        return dialect.decode(Array(text.joined().utf8)).compactMap { utterance in
            if case .time(let wall) = utterance { wall } else { nil }
        }
    }

    /// 2016-09-20T04:09:17Z.
    private static let said: Int64 = 1_474_344_557_000_000_000

    /// The line comes up to a second and a half after the time in it: half a second is added.
    @Test(arguments: ["BNRDD", "BNXRDD", "BGRDD", "BMRDD", "BZRDD"])
    func aLineWithAFixTellsTheTime(_ header: String) {
        let line = Self.content.replacing("BNRDD", with: header)
        #expect(Self.times([line]) == [WallTime(nanoseconds: Self.said + 500_000_000)])
    }

    @Test(arguments: [
        // Without a fix; of counters whose place and flag can be typed in; no date.
        ("84.10,A", "84.10,V"), ("BNRDD", "PNTDD"), ("BNRDD", "CZRDD"),
        ("2016-09-20", "2016-02-30"), ("2016-09-20", "2000-00-00"), ("2016-09-20", "1970-01-01"),
        ("04:09:17", "24:09:17"), ("2016-09-20", "2100-01-01"),
    ])
    func withoutAFixOrADateThereIsNoTime(_ change: (String, String)) {
        let line = Self.content.replacing(change.0, with: change.1)
        #expect(line != Self.content && Self.times([line]).isEmpty)
    }

    @Test func theSimulatorTellsItsTime() throws {
        var part = BGeigieNanoSimulator(seed: 9)
        var dialect = BGeigieNanoDialect()
        let sent = part.advance(to: .boot.advanced(by: .seconds(16)))
        let times = dialect.decode(sent).compactMap { utterance -> String? in
            if case .time(let wall) = utterance { wall.iso8601 } else { nil }
        }
        #expect(times == ["2026-11-22T00:00:05Z", "2026-11-22T00:00:10Z", "2026-11-22T00:00:15Z"])
    }

    /// Five seconds lie between two lines; one of another second begins anew.
    @Test func threeLinesInARowAreBelieved() throws {
        func believed(_ seconds: [Int64]) -> [Bool] {
            var run = TimeRun()
            return seconds.enumerated().map { number, second in
                run.confirm(
                    WallTime(nanoseconds: Self.said + second * 1_000_000_000),
                    at: MonotonicInstant(nanoseconds: Int64(number) * 5_010_000_000)
                )
            }
        }
        #expect(believed([0, 5, 10, 15]) == [false, false, true, true])
        #expect(believed([0, 5, 11, 16, 21]) == [false, false, false, false, true])
    }
}
