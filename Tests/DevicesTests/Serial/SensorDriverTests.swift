import HardwareIO
import Profiles
import Testing

@testable import Core
@testable import Devices
@testable import Fuzzing
@testable import Runtime
@testable import SimulationKit

@Suite struct SensorDriverTests {
    @Test func samplesOncePerPeriodAndLetsAPlantowerRestInBetween() throws {
        let (samples, report, kinds, wakeUps) = try simulate { clock in
            let bench = try SensorBench(.plantower, clock: clock)
            try await bench.run(for: .seconds(86_399))
            let report = await bench.driver.report
            return (bench.sink.samples, report, bench.sink.eventKinds, clock.wakeUps)
        }
        #expect(samples.count == 288)
        let names = ["pm1", "pm25", "pm10", "n03", "n05", "n1", "n25", "n5", "n10"]
        #expect(samples.allSatisfy { $0.prefix(9).map(\.channel.quantity.name) == names })
        #expect(samples.allSatisfy { $0.prefix(9).allSatisfy { $0.outcome.value != nil } })
        let rest = samples.flatMap { $0.dropFirst(9) }.map(\.outcome)
        #expect(rest.count == 288 * 3 && Set(rest) == [.noData(.notMeasured)])
        #expect(kinds == ["sensor found"])
        #expect(report.state == "asleep")
        let awake = try #require(report.facts.first { $0.name == "awakeSeconds" })
        // Twenty seconds of warming up and ten of window.
        #expect(awake.value == .number(288 * 30))
        #expect(wakeUps < 288 * 40)
    }

    @Test func takesEachStreamedMeasurementLive() throws {
        let (samples, kinds) = try simulate { clock in
            let bench = try SensorBench(.plantower, clock: clock, mode: .live)
            try await bench.run(for: .seconds(80))
            return (bench.sink.samples, bench.sink.eventKinds)
        }
        #expect((98...101).contains(samples.count), "one each 0.8 s: \(samples.count)")
        // Twenty seconds of warming up.
        #expect(samples.prefix(24).allSatisfy { $0[0].outcome == .noData(.warmingUp) })
        #expect(samples.dropFirst(26).allSatisfy { $0[0].outcome.value != nil })
        #expect(kinds == ["sensor found"])
    }

    /// The configured warm-up overrides the profile's, and the heartbeat allows for it.
    @Test(arguments: DeviceCatalog.kinds.map(\.driver).filter { $0 != "bgeigie-nano" })
    func warmsUpAsConfiguredOnADutyCycleAndIsNeverLate(driver: String) throws {
        let kind = try #require(DeviceCatalog.kind(driver))
        let (samples, lateness) = try simulate { clock in
            let bench = try SensorBench(kind, clock: clock)
            async let run: Void = bench.run(for: .seconds(899))
            var lateness: Duration = .zero
            for _ in 0..<890 {
                try await clock.sleep(for: .seconds(1))
                lateness = max(lateness, bench.heartbeat.snapshot.deadline.duration(to: clock.now))
            }
            try await run
            return (bench.sink.samples, lateness)
        }
        #expect(samples.count == 3)
        let first = try #require(samples.first)
        #expect(first.contains { $0.outcome.value != nil })
        #expect(MonotonicInstant.boot.duration(to: first[0].instant) < .seconds(45))
        #expect(lateness == .zero)
    }

    @Test(arguments: DeviceCatalog.kinds.map(\.driver).filter { $0 != "bgeigie-nano" })
    func warmsUpAsConfiguredLive(driver: String) throws {
        let kind = try #require(DeviceCatalog.kind(driver))
        let samples = try simulate { clock in
            let bench = try SensorBench(kind, clock: clock, mode: .live) { setup in
                setup.warmUp = .seconds(40)
            }
            // An SDS011 that is awake is warm; this one sleeps.
            if driver == "sds011" {
                let sleep = SDS011Command.setState(.sleep).bytes(to: .everyone)
                try bench.line.write(sleep)
            }
            try await bench.run(for: .seconds(100))
            return bench.sink.samples
        }
        let first = samples.first { $0.contains { $0.outcome.value != nil } }
        let instant = try #require(first?.first?.instant)
        #expect((39.0...46).contains(MonotonicInstant.boot.duration(to: instant).inSeconds))
    }

    /// Says good frames as fast as its line takes them, and hears nothing.
    private struct Chatterer: SerialPeer {
        /// The bytes of the frame of this number.
        let frame: @Sendable (Int) -> [UInt8]
        private var count = 0
        private(set) var nextActivity: MonotonicInstant?

        init(frame: @escaping @Sendable (Int) -> [UInt8]) {
            (self.frame, nextActivity) = (frame, .boot)
        }

        mutating func receive(_ bytes: [UInt8], at now: MonotonicInstant) -> [UInt8] { [] }

        mutating func advance(to now: MonotonicInstant) -> [UInt8] {
            var sent: [UInt8] = []
            while let due = nextActivity, due <= now {
                let bytes = frame(count)
                sent += bytes
                count += 1
                // 960 bytes a second at 9600 baud.
                nextActivity = due.advanced(by: .milliseconds(bytes.count * 1_000 / 960))
            }
            return sent
        }
    }

    private static func sds011Frame(_ number: Int) -> [UInt8] {
        let values = [UInt8(number % 100), 0, UInt8(100 + number % 100), 0, 0xA1, 0x60]
        return [0xAA, 0xC0] + values + [values.reduce(0, &+), 0xAB]
    }

    private static func plantowerFrame(_ number: Int) -> [UInt8] {
        var bytes: [UInt8] = [0x42, 0x4D, 0, 28] + [UInt8](repeating: 0, count: 26)
        for index in 2..<15 { bytes[2 * index + 1] = UInt8(number % 50 + 3 * index) }
        let sum = bytes.reduce(0) { $0 + Int($1) }
        return bytes + [UInt8(sum >> 8), UInt8(sum & 0xFF)]
    }

    @Test(
        arguments: [
            // Its manual knows one each 0.2 s at the fastest.
            (SensorKind.plantower, plantowerFrame, 3_000),
            // Its datasheet knows one each 0.5 s.
            (.sds011, sds011Frame, 1_200),
        ] as [(SensorKind, @Sendable (Int) -> [UInt8], Int)]
    )
    func recordsAPartThatBabblesAtThePaceOfItsKind(
        kind: SensorKind,
        frame: @escaping @Sendable (Int) -> [UInt8],
        expected: Int
    ) throws {
        let (samples, kinds, facts) = try simulate { clock in
            let part = SensorPart(Chatterer(frame: frame))
            let bench = try SensorBench(kind, clock: clock, mode: .live, part: part)
            try await bench.run(for: .seconds(660))
            return (bench.sink.samples, bench.sink.eventKinds, await bench.driver.report.facts)
        }
        let late = samples.filter { $0[0].instant > .boot.advanced(by: .seconds(60)) }
        #expect((expected - 10...expected + 10).contains(late.count), "\(late.count)")
        #expect(late.allSatisfy { $0[0].outcome.value != nil }, "nothing is missing meanwhile")
        #expect(kinds.filter { $0 == "samples left out" }.count == 1)
        let omitted = facts.first { $0.name == "omittedCount" }?.value
        guard case .number(let count)? = omitted else {
            Issue.record("\(facts)")
            return
        }
        #expect(count > 10_000)
    }

    @Test func measuresWithAPMS3003ThatTakesNoCommandsAndSaysSo() throws {
        let (samples, kinds) = try simulate { clock in
            let part = SensorPart(PlantowerSimulator(.pms3003))
            let bench = try SensorBench(.plantower, clock: clock, part: part)
            try await bench.run(for: .seconds(1_499))
            return (bench.sink.samples, bench.sink.eventKinds)
        }
        #expect(samples.count == 5)
        for sample in samples {
            let present = sample.filter { $0.outcome.value != nil }.map(\.channel.quantity.name)
            #expect(present == ["pm1", "pm25", "pm10"])
        }
        #expect(kinds == ["sensor found", "sensor does not acknowledge"])
    }

    @Test func asksOnceMoreForRestWhenAStopHearsNoAcknowledgement() throws {
        let (written, words) = try simulate { clock in
            let silence = SensorFaultWindow(.silence, from: .boot.advanced(by: .seconds(12)))
            let bench = try SensorBench(
                .plantower,
                clock: clock,
                part: SensorPart(PlantowerSimulator(.pms5003), faults: [silence])
            )
            try await bench.run(for: .seconds(15))
            return (bench.written, bench.dialect.commands(for: .rest).flatMap(\.bytes))
        }
        // Two attempts, and the commands on the way out, which await no answer.
        #expect(written.suffix(3 * words.count) == (words + words + words)[...])
    }

    @Test func namesAPartThatDoesNotAnswerAndItsReturn() throws {
        let (samples, kinds) = try simulate { clock in
            let silence = SensorFaultWindow(
                .silence,
                from: .boot.advanced(by: .minutes(10)),
                to: .boot.advanced(by: .minutes(40))
            )
            let part = SensorPart(PlantowerSimulator(), faults: [silence])
            let bench = try SensorBench(.plantower, clock: clock, part: part)
            try await bench.run(for: .seconds(3_599))
            return (bench.sink.samples, bench.sink.eventKinds)
        }
        #expect(samples.count == 12)
        #expect(samples[2...7].allSatisfy { $0[0].outcome == .noData(.replyTimeout) })
        #expect(
            kinds.filter { $0 != "sensor does not acknowledge" } == [
                "sensor found", "remedy tried", "remedy tried", "remedy tried",
                "sensor not answering", "sensor answering again",
            ]
        )
    }

    @Test func callsNoiseBadFrames() throws {
        let samples = try simulate { clock in
            let part = SensorPart(PlantowerSimulator(), faults: [SensorFaultWindow(.babble)])
            let bench = try SensorBench(.plantower, clock: clock, part: part)
            try await bench.run(for: .seconds(599))
            return bench.sink.samples
        }
        #expect(samples.count == 2)
        #expect(samples.allSatisfy { $0[0].outcome == .noData(.badFrames) })
    }

    @Test func takesNoValueFromAnotherPartThanTheOneConfigured() throws {
        let (samples, kinds) = try simulate { clock in
            let bench = try SensorBench(.twoValued, clock: clock) { $0.id = "B" }
            try await bench.run(for: .seconds(599))
            return (bench.sink.samples, bench.sink.eventKinds)
        }
        #expect(samples.map { $0[0].outcome } == [.noData(.badFrames), .noData(.badFrames)])
        #expect(kinds.contains("another sensor answers"))
        #expect(kinds.contains("sensor not answering"))
    }

    /// Another part that is unplugged gives no noise any more.
    @Test(arguments: [SensorMode.dutyCycle(BenchProfile.cycle), .live])
    func anotherPartThatIsUnpluggedIsSilent(mode: SensorMode) throws {
        let outcomes = try simulate { clock in
            let twoValued = SensorKind.twoValued
            let unplugged = SensorFaultWindow(.silence, from: .boot.advanced(by: .minutes(20)))
            let peer = try twoValued.simulator(BenchProfile.make(of: twoValued), 1)
            let part = SensorPart(peer, faults: [unplugged])
            let bench = try SensorBench(twoValued, clock: clock, mode: mode, part: part) {
                $0.id = "B"
            }
            async let run: Void = bench.run(for: .hours(2))
            try await clock.sleep(for: .minutes(19))
            let before = bench.sink.samples.last?[0].outcome
            try await run
            let outcomes = bench.sink.samples.map { $0[0].outcome }
            return [before, outcomes.last { $0 != .noData(.stopped) }]
        }
        #expect(outcomes == [.noData(.badFrames), .noData(.replyTimeout)])
    }

    @Test func accountsForASuspendedNightThatAChangeOfModeEnds() throws {
        let (samples, wokenAt) = try simulate { clock in
            let bench = try SensorBench(.twoValued, clock: clock)
            async let run: Void = bench.run(for: .hours(5))
            try await clock.sleep(for: .seconds(400))
            clock.skip(.hours(4))
            let wokenAt = clock.now
            bench.driver.setMode(.live)
            try await run
            return (bench.sink.samples, wokenAt)
        }
        let night = samples.filter { $0[0].instant < wokenAt }
        #expect(night.filter { $0[0].outcome == .noData(.stopped) }.count == 47)
    }

    @Test func givesWayToAnotherPartWhenNoRemedyHelps() throws {
        let error = try simulate { clock in
            let bench = try SensorBench(.twoValued, clock: clock) {
                $0.id = "B"
                $0.yieldsToAnother = true
            }
            var error: AnotherPart?
            do { try await bench.run(for: .minutes(6)) } catch let found as AnotherPart {
                error = found
            }
            return error
        }
        #expect(error?.wanted == "B")
    }

    @Test func takesOneSampleAPeriodFromAPartThatKnowsNoRest() throws {
        let (samples, written) = try simulate { clock in
            let bench = try SensorBench(.twoValued, clock: clock)
            try await bench.run(for: .seconds(899))
            return (bench.sink.samples, bench.written)
        }
        // Two questions a second make ten measurements of each window; nothing else is said.
        #expect(samples.count == 3)
        #expect(samples.allSatisfy { $0[0].outcome.value != nil })
        #expect(Set(written) == [UInt8(ascii: "?")])
        #expect(written.count == 3 * 10 + 1)
    }

    @Test func asksOnceEachIntervalLive() throws {
        let (samples, written) = try simulate { clock in
            let bench = try SensorBench(.twoValued, clock: clock, mode: .live)
            try await bench.run(for: .seconds(100))
            return (bench.sink.samples, bench.written)
        }
        #expect((99...103).contains(samples.count))
        #expect(samples.prefix(19).allSatisfy { $0[0].outcome == .noData(.warmingUp) })
        #expect(samples.dropFirst(22).allSatisfy { $0[0].outcome.value != nil })
        #expect(written.count <= samples.count + 1)
    }

    @Test func changesItsModeWhileItRests() throws {
        let (samples, isAtRest) = try simulate { clock in
            let bench = try SensorBench(.plantower, clock: clock)
            async let run: Void = bench.run(for: .seconds(700))
            try await clock.sleep(for: .seconds(100))
            bench.driver.setMode(.live)
            try await clock.sleep(for: .seconds(100))
            bench.driver.setMode(.dutyCycle(BenchProfile.cycle))
            try await run
            return (bench.sink.samples, bench.isLeftAtRest)
        }
        let live = samples.filter { sample in
            (100.0...201).contains(MonotonicInstant.boot.duration(to: sample[0].instant).inSeconds)
        }
        #expect((110...130).contains(live.count), "\(live.count)")
        #expect(samples.count - live.count == 3)
        #expect(isAtRest)
    }

    @Test func saysThatItStoppedBeforeItCouldMeasure() throws {
        let samples = try simulate { clock in
            let bench = try SensorBench(.plantower, clock: clock)
            try await bench.run(for: .seconds(10))
            return bench.sink.samples
        }
        #expect(samples.count == 1)
        #expect(samples.allSatisfy { $0.allSatisfy { $0.outcome == .noData(.stopped) } })
    }

    @Test func accountsForANightSleptThrough() throws {
        let (samples, kinds) = try simulate { clock in
            let part = SensorPart(
                PlantowerSimulator(),
                faults: [SensorFaultWindow(.silence, to: .boot.advanced(by: .seconds(30)))]
            )
            let bench = try SensorBench(.plantower, clock: clock, part: part) { setup in
                let reopen = setup.reopen
                setup.reopen = {
                    try await clock.sleep(for: .hours(8))
                    guard let reopen else { throw CancellationError() }
                    return try await reopen()
                }
            }
            try await bench.run(for: .seconds(8 * 3_600 + 299))
            return (bench.sink.samples, bench.sink.eventKinds)
        }
        #expect(samples.count == 8 * 12 + 1)
        #expect(kinds.first == "remedy tried")
    }
}

extension SensorKind {
    /// Says `A1.` to `A9.` when it is asked with `?`; knows neither wake nor rest.
    static let twoValued = SensorKind(
        driver: "two-valued",
        dialect: { _ throws(DialectError) in TwoValuedDialect() },
        simulator: { _, _ throws(DialectError) in TwoValuedPart() }
    )
}

private struct TwoValuedDialect: SensorDialect {
    let quantities = [Quantity(name: "digit", unit: "1", decimals: 0)]
    let rhythm = SensorRhythm.answers(atMostEvery: .seconds(1))
    let questions: [SensorCommand] = []
    private var pending: [UInt8] = []

    var missingByteCount: Int { 3 - pending.count }

    mutating func decode(_ bytes: Span<UInt8>, _ body: (SensorUtterance) -> Void) {
        for index in 0..<bytes.count {
            pending.append(bytes[index])
            guard pending.count == 3 else { continue }
            let value = Int64(pending[1]) - 48
            body(.measurement([.value(FixedPoint(value, decimals: 0))], id: "A"))
            pending = []
        }
    }

    func commands(for act: SensorAct) -> [SensorCommand] {
        act == .measure ? [SensorCommand("ask", [UInt8(ascii: "?")], isReadOnly: true)] : []
    }
}

private struct TwoValuedPart: SerialPeer {
    private var count: UInt8 = 0
    let nextActivity: MonotonicInstant? = nil

    mutating func receive(_ bytes: [UInt8], at now: MonotonicInstant) -> [UInt8] {
        count = (count + 1) % 9
        return Array("A".utf8) + [49 + count] + Array(".".utf8)
    }

    mutating func advance(to now: MonotonicInstant) -> [UInt8] { [] }
}
