import Core
import Testing

@testable import Profiles

/// Which of several devices the humidity beside a dust sensor is from.
@Suite struct NeighbourChoiceTests {
    private static let humidity = Quantity(name: "humidity", unit: "%", decimals: 1)

    /// What one device said, and when.
    private struct Said {
        let device: String
        let percent: Double
        var quality = Quality()
        var isWarm = false
        var second = 1_000
    }

    private static func reading(_ said: Said) -> Reading {
        let mantissa = Int64((said.percent * 10).rounded())
        return Reading(
            Channel(device: said.device, quantity: humidity),
            at: MonotonicInstant.boot.advanced(by: .seconds(said.second)),
            .value(FixedPoint(mantissa, decimals: 1), said.quality)
        )
    }

    private static func dust(_ second: Int = 1_000) -> [Reading] {
        [
            Reading(
                Channel(device: "dust", quantity: .pm25),
                at: MonotonicInstant.boot.advanced(by: .seconds(second)),
                .value(12.3)
            )
        ]
    }

    private static func runner(_ said: [Said]) -> GraphRunner {
        var runner = GraphRunner(.plain([.pm25]), device: "dust")
        for one in said { runner.remember(reading(one), isWarm: one.isWarm) }
        return runner
    }

    @Test func theOnlyOneCounts() throws {
        let runner = Self.runner([Said(device: "bme280", percent: 84.2)])
        let choice = try #require(runner.humidity(beside: Self.dust()))
        #expect(choice.device == "bme280" && choice.value == 84.2 && choice.passedOver.isEmpty)
        #expect(runner.flagged(Self.dust()).map(\.outcome) == [.value(12.3, .humid)])
    }

    /// In each order of speaking: by rank, then by name.
    @Test(arguments: [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [2, 0, 4, 1, 3]])
    func oneIsChosenAndEachOtherHasAReason(order: [Int]) throws {
        let all = [
            Said(device: "attic", percent: 50, second: 300),
            Said(device: "balcony", percent: 84, quality: .unchanging),
            Said(device: "classroom", percent: 40, isWarm: true),
            Said(device: "garden", percent: 82), Said(device: "yard", percent: 60),
        ]
        let choice = try #require(
            Self.runner(order.map { all[$0] }).humidity(beside: Self.dust())
        )
        #expect(choice.device == "garden")
        #expect(
            choice.passedOver == [
                .old: ["attic"], .doubtful: ["balcony"], .warm: ["classroom"], .later: ["yard"],
            ]
        )
    }

    /// A wrong warning is better than a wrong all-clear: in fog a sensor says 100 % for hours.
    @Test func aDoubtfulOneIsBetterThanNone() throws {
        let runner = Self.runner([
            Said(device: "bme280", percent: 100, quality: .unchanging),
            Said(device: "old", percent: 30, second: 10),
        ])
        let choice = try #require(runner.humidity(beside: Self.dust()))
        #expect(choice.device == "bme280" && choice.passedOver == [.old: ["old"]])
    }

    @Test func anImpossibleHumidityIsTheLast() throws {
        let runner = Self.runner([
            Said(device: "a", percent: 130), Said(device: "b", percent: 75, isWarm: true),
        ])
        let choice = try #require(runner.humidity(beside: Self.dust()))
        #expect(choice.device == "b" && choice.passedOver == [.doubtful: ["a"]])
    }

    @Test func anotherOneCountsWhenTheChosenOneIsSilent() throws {
        var runner = Self.runner([
            Said(device: "garden", percent: 82), Said(device: "yard", percent: 60),
        ])
        runner.remember(Self.reading(Said(device: "yard", percent: 61, second: 1_700)))
        let choice = try #require(runner.humidity(beside: Self.dust(1_700)))
        #expect(choice.device == "yard" && choice.passedOver == [.old: ["garden"]])
        #expect(runner.humidity(beside: Self.dust(2_400)) == nil)
        #expect(runner.flagged(Self.dust(2_400)).map(\.outcome) == [.value(12.3)])
    }

    @Test func itsOwnHumidityIsTheNearest() throws {
        let own = Channel(device: "dust", quantity: Self.humidity)
        var runner = GraphRunner(.plain([.pm25, Self.humidity]), device: "dust")
        runner.remember(Self.reading(Said(device: "bme280", percent: 84)))
        let instant = MonotonicInstant.boot.advanced(by: .seconds(1_000))
        let sample = Self.dust() + [Reading(own, at: instant, .value(55.0))]
        #expect(runner.humidity(beside: sample)?.device == "dust")
        #expect(runner.flagged(sample).first?.outcome == .value(12.3))
    }

    @Test(arguments: [
        ("co2", "ppm", true), ("pm25", "µg/m³", true), ("tvoc", "ppb", true),
        ("humidity", "%", false), ("pressure", "hPa", false), ("illuminance", "lx", false),
    ])
    func aPartWithAHeaterALampOrALaserIsWarm(name: String, unit: String, isWarm: Bool) {
        #expect(Quantity(name: name, unit: unit, decimals: 0).isOfWarmPart == isWarm)
    }
}
