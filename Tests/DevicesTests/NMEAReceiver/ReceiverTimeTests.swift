import Testing

@testable import Core
@testable import Devices

/// The time that a receiver of positions knows.
@Suite struct ReceiverTimeTests {
    private static func line(_ content: String) -> String {
        let checksum = content.utf8.reduce(0, ^)
        let digits = String(checksum, radix: 16, uppercase: true)
        return "$\(content)*\(checksum < 16 ? "0" : "")\(digits)\r\n"
    }

    private static func times(_ text: String) -> [String] {
        var dialect = NMEAReceiverDialect()
        return dialect.decode(Array(text.utf8)).compactMap { utterance in
            if case .time(let wall) = utterance { wall.iso8601 } else { nil }
        }
    }

    private static let rmc = "GPRMC,092725.00,A,4717.11399,N,00833.91590,E,0.004,77.52,091202,,,A"

    @Test func anRMCWithAFixTellsTheTime() {
        #expect(Self.times(Self.line(Self.rmc)) == ["2002-12-09T09:27:25Z"])
        let last = Self.rmc.replacing("091202", with: "311299")
        #expect(Self.times(Self.line(last)) == ["1999-12-31T09:27:25Z"])
        // An old receiver has no mode.
        let old = Self.rmc.replacing(",,,A", with: ",,")
        #expect(Self.times(Self.line(old)) == ["2002-12-09T09:27:25Z"])
    }

    @Test(arguments: [
        (",A,4717", ",V,4717"), (",,,A", ",,,E"), (",,,A", ",,,N"), (",,,A", ",,,S"),
        (",,,A", ",,,M"), ("091202", ""), ("091202", "320102"), ("091202", "300202"),
        ("091202", "091302"), ("091202", "9122"), ("092725.00", ""),
    ])
    func withoutAFixOrADateThereIsNoTime(_ change: (String, String)) {
        #expect(Self.times(Self.line(Self.rmc.replacing(change.0, with: change.1))).isEmpty)
    }

    @Test func gpsdTellsTheTimeOfAFix() {
        func report(_ mode: Int, _ time: String) -> String {
            #"{"class":"TPV","device":"/dev/ttyACM0","mode":\#(mode),"time":"\#(time)","#
                + #""ept":0.005,"lat":46.067,"lon":11.115}"# + "\r\n"
        }
        #expect(Self.times(report(3, "2026-11-28T07:45:53.250Z")) == ["2026-11-28T07:45:53Z"])
        #expect(Self.times(report(1, "2026-11-28T07:45:53.000Z")).isEmpty)
        for wrong in ["2026-11-28T07:45:53", "2026-13-28T07:45:53Z", "1970-01-01T00:00:00Z", ""] {
            #expect(Self.times(report(3, wrong)).isEmpty, "\(wrong)")
        }
        let long = report(3, "2026-11-28T07:45:53.000Z")
            .replacing("}", with: #","x":""# + String(repeating: "x", count: 1_024) + #""}"#)
        #expect(Self.times(long + Self.line(Self.rmc)) == ["2002-12-09T09:27:25Z"])
    }

    private static func run(_ steps: [(said: Int64, at: Int64)]) -> [Bool] {
        var run = TimeRun()
        return steps.map { step in
            run.confirm(
                WallTime(nanoseconds: step.said * 1_000_000),
                at: MonotonicInstant(nanoseconds: step.at * 1_000_000)
            )
        }
    }

    /// In milliseconds.
    @Test func threeInARowThatAgreeWithTheRunningTimeAreBelieved() {
        #expect(Self.run([(5_000, 100), (6_000, 1_050), (7_000, 2_400)]) == [false, false, true])
        // A minute between two of them, as on a duty cycle.
        #expect(Self.run([(0, 0), (60_000, 60_300), (61_000, 61_000)]) == [false, false, true])
        // A jump begins anew.
        #expect(
            Self.run([(0, 0), (1_000, 1_000), (9_000, 2_000), (10_000, 3_000), (11_000, 4_000)])
                == [false, false, false, false, true]
        )
        // Those that waited in a buffer come at once.
        #expect(Self.run([(0, 0), (1_000, 10), (2_000, 20), (3_000, 30)]).allSatisfy { !$0 })
        // RMC and TPV of one second are one.
        #expect(Self.run([(0, 0), (0, 1), (1_000, 1_000), (1_000, 1_001)]).allSatisfy { !$0 })
    }

    @Test func theSimulatorTellsItsTime() {
        var part = NMEAReceiverSimulator()
        part.wallAtBoot = WallTime(nanoseconds: 1_177_286_395_000_000_000)
        let sent = part.advance(to: .boot.advanced(by: .seconds(5)))
        let times = Self.times(String(decoding: sent, as: UTF8.self))
        // With a fix from the third second on.
        #expect(
            times == ["2007-04-22T23:59:58Z", "2007-04-22T23:59:59Z", "2007-04-23T00:00:00Z"]
        )
    }
}
