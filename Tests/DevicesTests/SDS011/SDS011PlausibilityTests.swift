import Testing

@testable import Core
@testable import Devices

/// The dialect and the plausibility filter together: what frames of an SDS011 are worth.
@Suite struct SDS011PlausibilityTests {
    private struct Bench {
        private var dialect = SDS011Dialect()
        private var check = PlausibilityFilter([.pm25, .pm10], by: [])

        mutating func check(
            _ pm25: UInt16,
            _ pm10: UInt16,
            hasMoved: Bool = false,
            isLive: Bool = false
        ) throws -> PlausibilityFilter.Verdict {
            let measurement = SDS011Measurement(pm25Tenths: pm25, pm10Tenths: pm10)
            let frame = SDS011Frame.measurement(measurement, from: SDS011DeviceID(0xA1, 0x60))
            let said = dialect.decode(frame.bytes)
            guard case .measurement(let outcomes, _) = try #require(said.first) else {
                throw CancellationError()
            }
            let limits = dialect.doubtLimits(isLive: isLive)
            return check.check(outcomes, hasMoved: hasMoved, by: limits)
        }
    }

    private var bench = Bench()

    @Test mutating func flagsThenRefusesAPairThatNeverChanges() throws {
        let verdicts = try (0..<13).map { _ in try bench.check(9, 9) }
        #expect(verdicts[1].outcomes[0] == .value(0.9))
        #expect(verdicts[2].outcomes[0] == .value(0.9, .unchanging))
        #expect(verdicts[2].begun == [.init(.unchanging)])
        #expect(verdicts[10].outcomes[1] == .value(0.9, .unchanging))
        #expect(verdicts[11].outcomes[1] == .noData(.stuck))
        #expect(verdicts[11].begun == [.init(.stuck)])
        #expect(verdicts[11].ended == [.init(.unchanging)])
        #expect(verdicts[12].begun.isEmpty)
        let next = try bench.check(9, 10)
        #expect(next.outcomes[1] == .value(1.0) && next.ended == [.init(.stuck)])
    }

    @Test mutating func believesAMedianThatStaysTheSameOfFramesThatMove() throws {
        for _ in 0..<13 { _ = try bench.check(9, 9) }
        let next = try bench.check(9, 9, hasMoved: true)
        #expect(next.outcomes[0] == .value(0.9) && next.ended == [.init(.stuck)])
    }

    @Test mutating func takesZerosForWarmingUpAndDoubtsThemAtLast() throws {
        let verdicts = try (0..<4).map { _ in try bench.check(0, 0) }
        #expect(verdicts.allSatisfy { $0.outcomes[0] == .noData(.warmingUp) })
        #expect(verdicts.map(\.begun) == [[], [], [.init(.zeros)], []])
    }

    @Test mutating func flagsTheCeilingAndNeverCallsItStuck() throws {
        let verdicts = try (0..<20).map { _ in try bench.check(9_999, 19_999) }
        #expect(verdicts.allSatisfy { $0.outcomes[0] == .value(999.9, .ceiling) })
        #expect(verdicts.flatMap(\.begun) == [.init(.ceiling)])
    }

    @Test mutating func flagsFineDustAboveAllDust() throws {
        let verdict = try bench.check(20, 10, isLive: true)
        #expect(verdict.outcomes[0] == .value(2.0, .inconsistent))
    }

    @Test mutating func takesNoZerosIntoTheMedian() throws {
        let rows = try [bench.check(0, 0), bench.check(10, 90), bench.check(30, 100)]
        let median = PlausibilityFilter.median(of: rows.map(\.outcomes))
        #expect(median == [.value(1.0), .value(9.0)])
    }
}
