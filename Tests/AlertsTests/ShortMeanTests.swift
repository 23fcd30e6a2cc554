import Core
import Testing

@testable import Alerts

@Suite struct ShortMeanTests {
    private static func at(_ seconds: Int) -> MonotonicInstant {
        .boot.advanced(by: .seconds(seconds))
    }

    /// One value each second from `start` on, of a device in live mode.
    private static func add(
        _ value: FixedPoint,
        from start: Int,
        to end: Int,
        to mean: inout ShortMean
    ) {
        for second in start..<end {
            mean.append(value, at: at(second), every: .seconds(1))
        }
    }

    /// Adds a value, and returns whether the mean began anew with it.
    private static func beginsAnew(
        _ value: FixedPoint,
        at instant: MonotonicInstant,
        every interval: Duration,
        _ mean: inout ShortMean
    ) -> Bool {
        mean.append(value, at: instant, every: interval)
    }

    @Test func itSaysNothingForThreeMinutes() {
        var mean = ShortMean()
        Self.add(12.5, from: 7, to: 187, to: &mean)
        #expect(mean.value == nil)
        Self.add(12.5, from: 187, to: 188, to: &mean)
        #expect(mean.value == 12.5)
    }

    @Test(arguments: [Duration.minutes(3), .minutes(5), .hours(1), nil])
    func aRareValueIsAMeanAtOnce(interval: Duration?) {
        var mean = ShortMean()
        mean.append(12.5, at: Self.at(0), every: interval)
        #expect(mean.value == 12.5)
    }

    @Test func aMinuteOfLiveModeWeighsAsMuchAsARareSample() {
        var mean = ShortMean()
        mean.append(10, at: Self.at(30), every: .minutes(5))
        mean.append(10, at: Self.at(330), every: .minutes(5))
        Self.add(40, from: 360, to: 420, to: &mean)
        #expect(mean.value == 20)
    }

    @Test func whatIsOlderThanAQuarterOfAnHourIsGone() {
        var mean = ShortMean()
        Self.add(100, from: 0, to: 60, to: &mean)
        Self.add(0, from: 60, to: 900, to: &mean)
        #expect(mean.value == 6.667)
        Self.add(0, from: 900, to: 901, to: &mean)
        #expect(mean.value == 0)
    }

    @Test func itBeginsAnewAfterAGap() {
        var mean = ShortMean()
        Self.add(100, from: 0, to: 300, to: &mean)
        #expect(!Self.beginsAnew(0, at: Self.at(479), every: .seconds(1), &mean))
        #expect(mean.value != nil)
        #expect(Self.beginsAnew(0, at: Self.at(660), every: .seconds(1), &mean))
        #expect(mean.value == nil)
        Self.add(0, from: 661, to: 841, to: &mean)
        #expect(mean.value == 0)
        // One missed sample of a rare device is no gap, two are.
        #expect(!Self.beginsAnew(3, at: Self.at(840 + 600), every: .minutes(5), &mean))
        #expect(Self.beginsAnew(3, at: Self.at(840 + 600 + 751), every: .minutes(5), &mean))
        #expect(mean.value == 3)
    }

    /// Who presses *Live* between two samples does not lose the level.
    @Test func anotherModeIsNoGap() {
        var mean = ShortMean()
        for sample in 0..<4 { mean.append(40, at: Self.at(sample * 300), every: .minutes(5)) }
        #expect(!Self.beginsAnew(40, at: Self.at(900 + 225), every: .seconds(1), &mean))
        #expect(mean.value == 40)
        #expect(Self.beginsAnew(40, at: Self.at(900 + 225 + 181), every: .seconds(1), &mean))
        #expect(mean.value == nil)
    }

    /// A mean that is there stays where the device begins to measure more often.
    @Test func aYoungMeanOfARareDeviceStays() {
        var mean = ShortMean()
        mean.append(40, at: Self.at(0), every: .minutes(5))
        mean.append(40, at: Self.at(20), every: .seconds(1))
        #expect(mean.value == 40)
    }

    @Test func itsSlotsAreBoundedAndTimeNeverGoesBack() {
        var mean = ShortMean()
        for minute in 0..<1_000 {
            mean.append(FixedPoint(.max, decimals: 0), at: Self.at(minute * 60), every: nil)
            mean.append(FixedPoint(.min, decimals: 9), at: Self.at(0), every: nil)
        }
        #expect(mean.value != nil)
        #expect("\(mean)".split(separator: "number:").count <= 16)
    }

    // MARK: Levels by it

    private static func sample(_ pm25: FixedPoint, at second: Int) -> [Reading] {
        let channel = Channel(device: "dust", quantity: .pm25)
        return [Reading(channel, at: at(second), .value(pm25))]
    }

    private static func levels(
        _ name: String,
        over seconds: Range<Int>,
        of machine: inout LevelMachine,
        air: (Int) -> FixedPoint
    ) -> [AirLevel?] {
        seconds.map { machine.append(sample(air($0), at: $0), every: .seconds(1)) }
    }

    /// Half a minute of smoke, 200 µg/m³, in air of 5.
    private static func smoke(_ second: Int) -> FixedPoint {
        (1_000..<1_030).contains(second) ? 200 : 5
    }

    @Test(arguments: [
        ("eaqi", AirLevel.good), ("us-nowcast", .moderate), ("pm25 20 40", .good),
        ("sample-levels", .poor),
    ])
    func aCigaretteTurnsOnlyTheClassroomsLamp(rule: String, worst: AirLevel) throws {
        var machine = LevelMachine(rule: try #require(LevelRule.named(rule)))
        let levels = Self.levels(rule, over: 0..<3_000, of: &machine, air: Self.smoke)
        #expect(levels.compactMap(\.self).max() == worst)
    }

    @Test func aLastingRiseTurnsItAndItDoesNotFlicker() throws {
        var machine = LevelMachine(rule: try #require(LevelRule.named("eaqi")))
        let rise = Self.levels("eaqi", over: 0..<3_000, of: &machine) { $0 < 1_000 ? 5 : 120 }
        let changes = zip(rise, rise.dropFirst()).filter { $0 != $1 }.map(\.1)
        #expect(changes == [.good, .moderate, .poor])
        let poor = try #require(rise.firstIndex(of: .poor))
        #expect((1_000 + 240..<1_000 + 600).contains(poor))
        // Air that jumps about the limit keeps its level.
        let about = Self.levels("eaqi", over: 3_000..<6_000, of: &machine) { $0 % 2 == 0 ? 40 : 58 }
        #expect(Set(about) == [.poor])
    }

    @Test func aGapEndsTheLevelUntilThereIsAMean() throws {
        var machine = LevelMachine(rule: try #require(LevelRule.named("eaqi")))
        _ = Self.levels("eaqi", over: 0..<600, of: &machine) { _ in 100 }
        #expect(machine.level == .poor && machine.mean(of: "pm25") == 100)
        let after = Self.levels("eaqi", over: 1_000..<1_181, of: &machine) { _ in 48 }
        #expect(after.dropLast().allSatisfy { $0 == nil })
        // Nothing of the time before holds it up.
        #expect(after.last == .moderate)
    }

    @Test func anotherRuleJudgesTheSameMeanAtOnce() throws {
        var machine = LevelMachine()
        _ = Self.levels("", over: 0..<900, of: &machine) { $0 < 450 ? 0 : 80 }
        #expect(machine.level == .poor && machine.mean(of: "pm25") == nil)
        machine.use(try #require(LevelRule.named("eaqi")))
        #expect(machine.level == .moderate && machine.level(of: "pm25") == .moderate)
        #expect(machine.mean(of: "pm25").map { $0 > 35 && $0 < 50 } == true)
    }
}
