import Core
import Testing

@testable import Devices
@testable import SimulationKit
@testable import Station

@Suite struct CrossCheckTests {
    private static func sample(_ device: String, _ value: Int64, minute: Int) -> [Reading] {
        let instant = MonotonicInstant.boot.advanced(by: .minutes(minute))
        return [Quantity.pm25, .pm10].map { quantity in
            Reading(
                Channel(device: device, quantity: quantity),
                at: instant,
                .value(FixedPoint(value * 10, decimals: 1))
            )
        }
    }

    /// Runs rounds of five minutes, in which each device sends one value.
    private static func run(
        _ names: [String],
        _ rounds: [[(String, Int64)]]
    ) -> (doubted: [[Bool]], events: [Event]) {
        let air = CrossCheck()
        air.configure(names)
        var (doubted, events) = ([[Bool]](), [Event]())
        for (round, values) in rounds.enumerated() {
            doubted.append(
                values.map { device, value in
                    let found = air.compare(sample(device, value, minute: round * 5))
                    events += found.events
                    guard case .value(_, let quality) = found.readings[0].outcome else {
                        return false
                    }
                    return quality.contains(.disagrees)
                }
            )
        }
        return (doubted, events)
    }

    @Test func bothAreDoubtedFromTheThirdPairOnUntilThreePairsAgree() {
        let apart = Array(repeating: [("a", Int64(10)), ("b", Int64(90))], count: 4)
        let near = Array(repeating: [("a", Int64(50)), ("b", Int64(55))], count: 4)
        let (doubted, events) = Self.run(["a", "b"], apart + near)
        #expect(
            doubted == [
                [false, false], [false, false], [false, true], [true, true],
                [true, true], [true, true], [true, false], [false, false],
            ]
        )
        #expect(events.map(\.kind.name) == ["sensors disagree", "sensors agree again"])
        #expect(events.first?.source == "b" && events.first?["with"] == "a")
    }

    /// The row *another sensor in the same air* of `docs/reference/flags.md`.
    @Test(arguments: Quality.everyName)
    func whatCannotBeIsNotCompared(_ name: String) throws {
        let flag = try #require(Quality(named: name))
        let air = CrossCheck()
        air.configure(["a", "b"])
        var events: [Event] = []
        for minute in stride(from: 0, to: 45, by: 5) {
            events += air.compare(Self.sample("a", 10, minute: minute)).events
            let odd = Reading(
                Channel(device: "b", quantity: .pm25),
                at: .boot.advanced(by: .minutes(minute)),
                .value(4369.1, flag)
            )
            let found = air.compare([odd])
            events += found.events
            if flag == .outOfRange { #expect(found.readings.map(\.outcome) == [odd.outcome]) }
        }
        #expect(events.isEmpty == (flag == .outOfRange))
    }

    @Test func whoeverIsNotNamedIsComparedWithNobody() {
        let rounds = Array(repeating: [("a", Int64(10)), ("c", Int64(900))], count: 9)
        let (doubted, events) = Self.run(["a", "b"], rounds)
        #expect(doubted.allSatisfy { $0 == [false, false] } && events.isEmpty)
    }

    @Test func theOneOfThreeThatIsWrongMakesTheOthersDoubtfulToo() {
        let rounds = Array(
            repeating: [("a", Int64(10)), ("b", Int64(12)), ("c", Int64(90))],
            count: 9
        )
        let (doubted, events) = Self.run(["a", "b", "c"], rounds)
        #expect(doubted.last == [true, true, true])
        #expect(
            Set(events.map { [$0.source, $0["with"] ?? ""].sorted() }) == [
                ["a", "c"], ["b", "c"],
            ]
        )
    }

    @Test func aReloadKeepsWhatIsKnownOfThePairsThatStay() {
        let air = CrossCheck()
        air.configure(["a", "b"])
        for minute in 0..<4 {
            _ = air.compare(Self.sample("a", 10, minute: minute))
            _ = air.compare(Self.sample("b", 90, minute: minute))
        }
        air.configure(["a", "b", "c"])
        let kept = air.compare(Self.sample("a", 10, minute: 5)).readings[0].outcome
        air.configure([])
        let gone = air.compare(Self.sample("a", 10, minute: 6)).readings[0].outcome
        #expect(kept == .value(FixedPoint(100, decimals: 1), .disagrees))
        #expect(gone == .value(FixedPoint(100, decimals: 1)))
    }

    /// The one that warms itself is marked, the other is not.
    @Test func ofTwoThermometersTheWarmerOneIsDoubted() {
        let degrees = Quantity(name: "temperature", unit: "°C", decimals: 1)
        let air = CrossCheck()
        air.configure(["a", "b"])
        var events: [Event] = []
        func isDoubted(_ device: String, _ tenths: Int64, minute: Int) -> Bool {
            let found = air.compare([
                Reading(
                    Channel(device: device, quantity: degrees),
                    at: .boot.advanced(by: .minutes(minute)),
                    .value(FixedPoint(tenths, decimals: 1))
                )
            ])
            events += found.events
            guard case .value(_, let quality) = found.readings[0].outcome else { return false }
            return quality.contains(.disagrees)
        }
        for minute in 0..<60 {
            #expect(!isDoubted("a", 268, minute: minute) && !isDoubted("b", 231, minute: minute))
        }
        for minute in 60..<63 {
            _ = (isDoubted("a", 268, minute: minute), isDoubted("b", 231, minute: minute))
        }
        #expect(isDoubted("a", 268, minute: 63) && !isDoubted("b", 231, minute: 63))
        #expect(events.map(\.kind.name) == ["sensors disagree"])
        #expect(events.first?.source == "a" && events.first?["with"] == "b")
        #expect(events.first?["of"] == "temperature")
    }

    @Test func aStationComparesSensorsThatItFinds() throws {
        let (flags, kinds) = try simulate { clock in
            let text = #"{"name": "test", "mode": "live", "sameAir": ["sds011", "sds011-2"]}"#
            let bench = try DetectionBench(clock, text)
            let parts = [(UInt16(0xA160), UInt16(80)), (0xB270, 900)].map { id, tenths in
                SimulatedAdapter("\(id)", clock: clock) { now in
                    let memory = SDS011Simulator.Memory(deviceID: SDS011DeviceID(rawValue: id))
                    let air = SDS011Measurement(pm25Tenths: tenths, pm10Tenths: tenths * 2)
                    return SensorPart(
                        SDS011Simulator(air: .constant(air), memory: memory),
                        poweredAt: now
                    )
                }
            }
            return try await bench.run { bench in
                for (index, part) in parts.enumerated() { bench.usb.plug(part, into: index) }
                try await bench.sleep(.minutes(2))
                let last = ["sds011", "sds011-2"].map { name in
                    bench.values(of: name).last { $0.channel.quantity == .pm25 }?.outcome
                }
                let flags = last.map { outcome in
                    if case .value(_, let quality)? = outcome {
                        quality.contains(.disagrees)
                    } else {
                        false
                    }
                }
                return (flags, bench.events.map(\.kind.name))
            }
        }
        #expect(flags == [true, true])
        #expect(kinds.count { $0 == "sensors disagree" } == 1)
    }
}
