import Core
import Testing

@Suite struct MonotonicInstantTests {
    @Test func arithmeticGoesThereAndBack() {
        let instant = MonotonicInstant.boot.advanced(by: .milliseconds(1_500))
        #expect(instant.nanoseconds == 1_500_000_000)
        #expect(MonotonicInstant.boot.duration(to: instant) == .milliseconds(1_500))
        #expect(instant.advanced(by: .milliseconds(-1_500)) == .boot)
    }

    @Test(arguments: [
        (0, "0.000"), (1_000_000, "0.001"), (999_999, "0.000"), (61_050_000_000, "61.050"),
    ])
    func isWrittenInSecondsWithThreeDecimals(nanoseconds: Int64, text: String) {
        #expect(MonotonicInstant(nanoseconds: nanoseconds).description == text)
    }

    @Test func theFarFutureSaturatesInsteadOfTrapping() {
        let end = MonotonicInstant(nanoseconds: .max)
        #expect(end.advanced(by: .seconds(1)) == end)
        #expect(MonotonicInstant.boot.advanced(by: .seconds(Int64.max)) == end)
        #expect(Duration.seconds(Int64.min).wholeNanoseconds == .min)
    }

    @Test func durationsAreCountedInTheirUnits() {
        #expect(Duration.minutes(3) == .seconds(180))
        #expect(Duration.hours(2) == .seconds(7_200))
        #expect(Duration.days(1) == .hours(24))
        #expect(Duration.milliseconds(250).inSeconds == 0.25)
    }
}

@Suite struct WallTimeTests {
    // Independently known dates, with their counts of seconds since 1970.
    @Test(arguments: [
        (0, "1970-01-01T00:00:00Z"), (951_782_400, "2000-02-29T00:00:00Z"),
        (1_000_000_000, "2001-09-09T01:46:40Z"), (1_234_567_890, "2009-02-13T23:31:30Z"),
        (2_147_483_648, "2038-01-19T03:14:08Z"), (4_107_542_400, "2100-03-01T00:00:00Z"),
        (1_709_251_199, "2024-02-29T23:59:59Z"), (-1, "1969-12-31T23:59:59Z"),
    ])
    func isWrittenAsISO8601(seconds: Int64, text: String) {
        #expect(WallTime(nanoseconds: seconds * 1_000_000_000).iso8601 == text)
    }

    @Test func everyDayFollowsTheOneBeforeByTheRulesOfTheCalendar() {
        var (year, month, day) = (1_970, 1, 1)
        for number in 0..<200_000 {
            let date = CivilDate(daysSince1970: number)
            guard date.year == year, date.month == month, date.day == day else {
                Issue.record("day \(number) is \(date), not \(year)-\(month)-\(day)")
                return
            }
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
            day += 1
            if day > lengths[month - 1] { (month, day) = (month + 1, 1) }
            if month > 12 { (year, month) = (year + 1, 1) }
            guard day > 1 || CivilDate.firstDay(of: month, in: year) == number + 1 else {
                Issue.record("\(year)-\(month) does not begin \(number + 1) days after 1970-01-01")
                return
            }
        }
    }

    @Test(arguments: [(7, 3, 2, 1), (-7, 3, -3, 2), (-6, 3, -2, 0), (0, 3, 0, 0)])
    func flooredDivisionLeavesARemainderFromZero(
        dividend: Int,
        divisor: Int,
        quotient: Int,
        remainder: Int
    ) {
        let result = dividend.flooredDivision(by: divisor)
        #expect((result.quotient, result.remainder) == (quotient, remainder))
    }
}

@Suite struct SplitMix64Tests {
    // The first outputs for seed 1 234 567, as other implementations of the paper give them.
    @Test func givesThePublishedSequence() {
        var generator = SplitMix64(seed: 1_234_567)
        let expected: [UInt64] = [
            6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
        ]
        let found = (0..<3).map { _ in generator.next() }
        #expect(found == expected)
    }
}
