import Profiles
import Testing

@testable import Core
@testable import Devices

@Suite struct PlausibilityFilterTests {
    private static let limits = SensorDoubt.Limits(unchanging: 3, stuck: 5, zeros: 4)
    private static let quantities = [
        Quantity.pm25, .pm10, Quantity(name: "temperature", unit: "°C", decimals: 1),
    ]
    private static let channels = [
        ChannelProfile(.pm25, range: 0...999.9, description: "Dust.", shown: "line", step: 100),
        ChannelProfile(.pm10, range: 0...1_999.9, description: "Dust.", shown: "line"),
        ChannelProfile(quantities[2], range: -40...85, description: "Air.", shown: "line"),
    ]

    private var check = PlausibilityFilter(quantities, by: channels)

    private mutating func check(_ values: FixedPoint?...) -> PlausibilityFilter.Verdict {
        let outcomes = values.map { $0.map { Outcome.value($0) } ?? .noData(.notMeasured) }
        return check.check(outcomes, by: Self.limits)
    }

    @Test mutating func letsAGoodMeasurementPassAsItIs() {
        let verdict = check(2.5, 4.0, 21.5)
        #expect(verdict.outcomes == [.value(2.5), .value(4.0), .value(21.5)])
        #expect(verdict.begun.isEmpty && verdict.ended.isEmpty)
    }

    @Test mutating func flagsAValueOutOfItsRangeAndNoOther() {
        let verdict = check(2.5, 4.0, 85.1)
        #expect(verdict.outcomes == [.value(2.5), .value(4.0), .value(85.1, .outOfRange)])
        #expect(verdict.begun == [.init(.outOfRange, of: "temperature")])
        #expect(check(2.6, 4.0, 85.2).begun.isEmpty)
        #expect(check(2.6, 4.0, 85.0).ended == [.init(.outOfRange, of: "temperature")])
    }

    /// One size that cannot be makes its frame one that cannot be believed; another quantity not.
    @Test mutating func noSizeOfAnImpossibleFrameCounts() {
        let verdict = check(4369.1, 889.6, 21.5)
        #expect(verdict.outcomes.map(\.counted) == [nil, nil, 21.5])
        #expect(verdict.outcomes.map(\.value) == [4369.1, 889.6, 21.5])
        #expect(verdict.begun.contains(.init(.outOfRange, of: "pm25")))
        #expect(!verdict.begun.contains(.init(.outOfRange, of: "pm10")))
        #expect(check(2.5, 4.0, 21.5).outcomes.map(\.counted) == [2.5, 4.0, 21.5])
    }

    @Test mutating func flagsThenRefusesWhatNeverChanges() {
        let outcomes = (0..<6).map { _ in check(2.5, 4.0, 20.0).outcomes[0] }
        #expect(outcomes[1] == .value(2.5))
        #expect(outcomes[2] == .value(2.5, .unchanging))
        #expect(outcomes[4...] == [.noData(.stuck), .noData(.stuck)])
        let verdict = check(2.5, 4.0, 20.1)
        #expect(verdict.outcomes[0] == .value(2.5) && verdict.ended == [.init(.stuck)])
    }

    @Test mutating func believesAMedianThatStaysTheSameOfMeasurementsThatMove() {
        for _ in 0..<6 { _ = check(2.5, 4.0, 20.0) }
        let same: [Outcome] = [.value(2.5), .value(4.0), .value(20.0)]
        let verdict = check.check(same, hasMoved: true, by: Self.limits)
        #expect(verdict.outcomes == same && verdict.ended == [.init(.stuck)])
    }

    @Test mutating func flagsZerosAndNeverCallsThemStuck() {
        let verdicts = (0..<9).map { _ in check(0, 0, nil) }
        #expect(verdicts[2].outcomes[0] == .value(0))
        #expect(
            verdicts[3].outcomes == [.value(0, .zero), .value(0, .zero), .noData(.notMeasured)]
        )
        #expect(verdicts[8].outcomes[0] == .value(0, .zero))
        #expect(verdicts.flatMap(\.begun) == [.init(.zeros)])
    }

    @Test mutating func flagsAStepThatTheAirCannotMake() {
        _ = check(10, 500, 20.0)
        #expect(check(111, 600, 20.0).outcomes[0] == .value(111, .jump))
        #expect(check(11, 111, 20.0).outcomes[0] == .value(11))
        check.restart()
        #expect(check(900, 1_000, 20.0).outcomes[0] == .value(900))
    }

    @Test mutating func flagsFineDustAboveAllDustInBoth() {
        let verdict = check(5.0, 4.0, 20.0)
        #expect(
            verdict.outcomes == [
                .value(5.0, .inconsistent), .value(4.0, .inconsistent), .value(20.0),
            ]
        )
        #expect(verdict.begun == [.init(.inconsistent)])
    }

    @Test mutating func keepsWhatThePartItselfDoubts() {
        let verdict = check.check(
            [.value(5.0, .ceiling), .value(6.0), .value(99.0, .estimated)],
            by: Self.limits
        )
        #expect(verdict.outcomes[0] == .value(5.0, .ceiling))
        #expect(verdict.outcomes[2] == .value(99.0, [.estimated, .outOfRange]))
    }

    @Test func takesTheMedianOfEachChannelByItself() {
        let rows: [[Outcome]] = [
            [.value(1), .value(9), .noData(.warmingUp)],
            [.value(900), .value(2), .noData(.notMeasured)],
            [.value(3), .noData(.noFix), .noData(.notMeasured)],
        ]
        #expect(
            PlausibilityFilter.median(of: rows) == [.value(3), .value(2), .noData(.notMeasured)]
        )
        #expect(PlausibilityFilter.median(of: []) == nil)
    }
}
