import Core
import Testing

@testable import Alerts

@Suite struct LevelMachineTests {
    private func sample(_ pm25: Outcome?, _ pm10: Outcome?) -> [Reading] {
        [(Quantity.pm25, pm25), (Quantity.pm10, pm10)].compactMap { quantity, outcome in
            outcome.map { Reading(Channel(device: "balcony", quantity: quantity), at: .boot, $0) }
        }
    }

    private func tenths(_ value: Int) -> Outcome { .value(FixedPoint(Int64(value), decimals: 1)) }

    @Test(arguments: [
        (0, 0, AirLevel.good), (29, 99, .good), (30, 0, .moderate), (0, 100, .moderate),
        (49, 149, .moderate), (50, 0, .poor), (0, 150, .poor), (9_999, 9_999, .poor),
        (30, 150, .poor), (50, 100, .poor),
    ])
    func theFirstSampleFollowsTheTable(pm25: Int, pm10: Int, expected: AirLevel) {
        var machine = LevelMachine()
        #expect(machine.append(sample(tenths(pm25), tenths(pm10))) == expected)
        #expect(machine.level == expected)
    }

    @Test(arguments: [
        ("pm25 10 20", "pm25 10 20"), ("pm25 10 20,pm10 20.5 40", "pm25 10 20, pm10 20.5 40"),
        ("  co2   1000  2000 ", "co2 1000 2000"),
    ])
    func anOwnersLimitsAreRead(text: String, name: String) throws {
        let rule = try #require(LevelRule.named(text))
        #expect(rule.name == name && LevelRule.named(name) == rule)
        let scale = rule.scales[0]
        for limit in scale.limits {
            #expect(scale.level(of: limit.reachedAt, after: nil) == limit.level)
            #expect(scale.level(of: limit.leftBelow, after: limit.level) == limit.level)
        }
    }

    @Test(arguments: [
        "", "own", "pm25", "pm25 10", "pm25 10 11", "pm25 20 10", "pm25 0 10", "pm25 -1 10",
        "pm25 nan 10", "pm25 1 inf", "pm25 1 2000000", "pm25 10 20,", "pm25 10 20, pm25 1 2",
        "pm25 10 20 30", "wind 1 2", "pm25 1e-9 2", "pm25 0x1 0x5",
    ])
    func limitsThatMakeNoSenseAreNone(text: String) { #expect(LevelRule.named(text) == nil) }

    /// Texts near a good one are read or refused, and what is read reads itself again.
    @Test func anyTextIsReadOrRefused() {
        var dice = SplitMix64(seed: 58)
        let good = Array("pm25 10 20, pm10 20.5 40".utf8)
        var count = 0
        for _ in 0..<20_000 {
            var text = good
            for _ in 0...Int.random(in: 0..<3, using: &dice) {
                text[Int.random(in: text.indices, using: &dice)] =
                    good[Int.random(in: good.indices, using: &dice)]
            }
            let read = LevelRule.named(String(decoding: text, as: UTF8.self))
            guard let rule = read else { continue }
            count += 1
            #expect(LevelRule.named(rule.name) == rule)
        }
        #expect((1..<20_000).contains(count))
    }

    /// The edges of the indexes' own tables; a level ends a tenth below its edge.
    @Test(arguments: [
        ("eaqi", [150, 500, 450, 1_200]), ("us-nowcast", [91, 355, 550, 1_550]),
        ("who-24h", [150, 375, 450, 750]), ("sample-levels", [30, 50, 100, 150]),
    ])
    func aRuleThatTheOwnerChoseHasItsEdges(_ name: String, _ edges: [Int]) throws {
        let rule = try #require(LevelRule.named(name))
        for (quantity, edges) in [(0, edges.prefix(2)), (1, edges.suffix(2))] {
            func level(_ value: Int) -> AirLevel? {
                var machine = LevelMachine(rule: rule)
                return machine.append(
                    quantity == 0
                        ? sample(tenths(value), tenths(0)) : sample(tenths(0), tenths(value))
                )
            }
            let (moderate, poor) = (edges.first ?? 0, edges.last ?? 0)
            let found = [moderate - 1, moderate, poor - 1, poor].map(level)
            #expect(found == [.good, .moderate, .moderate, .poor])
            for limit in rule.scales[quantity].limits {
                #expect(limit.leftBelow < limit.reachedAt)
            }
        }
    }

    @Test func risesAtOnceAndFallsBelowTheMargin() {
        var machine = LevelMachine()
        let steps: [(Int, AirLevel)] = [
            (29, .good), (30, .moderate), (25, .moderate), (24, .good), (50, .poor),
            (45, .poor), (44, .moderate), (26, .moderate), (50, .poor), (26, .moderate),
            (50, .poor), (24, .good), (29, .good),
        ]
        for (index, (value, level)) in steps.enumerated() {
            let taken = machine.append(sample(tenths(value), tenths(0)))
            #expect(taken == level, "step \(index), \(value) tenths")
        }
    }

    @Test func aChannelWithoutValueDoesNotCount() {
        var machine = LevelMachine()
        #expect(machine.append(sample(.noData(.badFrames), tenths(100))) == .moderate)
        #expect(machine.append(sample(tenths(60), .noData(.badFrames))) == .poor)
        #expect(machine.append(sample(tenths(0), nil)) == .good)
    }

    @Test func namesTheQuantitiesThatDecideIt() {
        var machine = LevelMachine()
        #expect(machine.decisive.isEmpty)
        _ = machine.append(sample(tenths(60), tenths(100)))
        #expect(machine.decisive == ["pm25"])
        _ = machine.append(sample(tenths(30), tenths(100)))
        #expect(machine.decisive == ["pm25", "pm10"])
        _ = machine.append(sample(.noData(.stuck), .noData(.stuck)))
        #expect(machine.decisive.isEmpty)
    }

    @Test func noValueAtAllIsNoLevel() {
        var machine = LevelMachine()
        #expect(machine.append(sample(tenths(60), tenths(0))) == .poor)
        #expect(machine.append(sample(.noData(.unplugged), .noData(.unplugged))) == nil)
        #expect(machine.level == nil)
        #expect(machine.append([]) == nil)
    }

    @Test func whatWasBeforeAGapHoldsNothingUp() {
        var machine = LevelMachine()
        _ = machine.append(sample(tenths(50), tenths(0)))
        #expect(machine.append(sample(tenths(45), tenths(0))) == .poor)
        _ = machine.append(sample(.noData(.replyTimeout), tenths(0)))
        #expect(machine.append(sample(tenths(45), tenths(0))) == .moderate)
    }

    @Test func doubtfulValuesCount() {
        var machine = LevelMachine()
        let ceiling = Outcome.value(FixedPoint(9_999, decimals: 1), .ceiling)
        #expect(machine.append(sample(ceiling, tenths(0))) == .poor)
    }

    /// Against the definition: a level holds while the value has not fallen below its margin since
    /// it was last reached.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func agreesWithTheWholePastOfTheValue(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var machine = LevelMachine()
        var past: [Int] = []
        let limits: [(AirLevel, Int, Int)] = [(.moderate, 30, 25), (.poor, 50, 45)]
        for _ in 0..<500 {
            past.append(Int.random(in: 20...55, using: &random))
            let held = limits.filter { _, reached, left in
                let last = past.lastIndex { $0 >= reached }
                return last.map { past[$0...].allSatisfy { $0 >= left } } ?? false
            }
            let expected = held.map(\.0).max() ?? .good
            let taken = machine.append(sample(tenths(past[past.count - 1]), nil))
            #expect(taken == expected, "seed \(seed), \(past.suffix(5))")
        }
    }
}
