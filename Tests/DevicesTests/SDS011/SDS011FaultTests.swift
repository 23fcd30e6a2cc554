import HardwareIO
import Testing

@testable import Core
@testable import Devices
@testable import Runtime
@testable import SimulationKit

/// Every fault the field has seen: noticed within three intervals, worked on, named, survived.
@Suite struct SDS011FaultTests {
    private struct Outcome: Sendable {
        let samples: [[Reading]]
        let kinds: [String]
        let doubts: [String]
        let firedCount: Int
        let isAsleep: Bool

        var noDataReasons: Set<NoData> {
            Set(
                samples.compactMap { if case .noData(let why) = $0[0].outcome { why } else { nil } }
            )
        }
    }

    /// An hour on a duty cycle; the fault from the 10th minute to the 40th.
    private func hour(with fault: SDS011Fault) throws -> Outcome {
        try simulate { clock in
            let window = SDS011FaultWindow(
                fault,
                from: .boot.advanced(by: .minutes(10)),
                to: .boot.advanced(by: .minutes(40))
            )
            let bench = SDS011Bench(clock: clock, simulator: SDS011Simulator(faults: [window]))
            try await bench.run(for: .seconds(3_599))
            return Outcome(
                samples: bench.sink.samples,
                kinds: bench.sink.eventKinds,
                doubts: bench.sink.events.compactMap { $0["doubt"] },
                firedCount: bench.fired(fault),
                isAsleep: bench.isAsleep
            )
        }
    }

    @Test(arguments: SDS011Fault.allCases.filter { $0 != .wedge })
    func leavesNoIntervalUnaccountedAndRecovers(fault: SDS011Fault) throws {
        let outcome = try hour(with: fault)
        #expect(outcome.samples.count == 12)
        if fault != .doubleWake, fault != .noFirmware { #expect(outcome.firedCount > 0) }
        #expect(outcome.isAsleep)
        #expect(outcome.samples.last?[0].outcome.value != nil)
        #expect(outcome.samples.prefix(2).allSatisfy { $0[0].outcome.value != nil })
    }

    @Test(
        arguments: [
            (.silence, .replyTimeout), (.babble, .badFrames), (.wrongRate, .badFrames),
        ] as [(SDS011Fault, NoData)]
    )
    func namesAPartThatDoesNotAnswerAndItsReturn(fault: SDS011Fault, why: NoData) throws {
        let outcome = try hour(with: fault)
        #expect(outcome.noDataReasons == [why])
        #expect(
            outcome.kinds == [
                "sensor found", "remedy tried", "remedy tried", "remedy tried",
                "sensor not answering", "sensor answering again",
            ]
        )
    }

    @Test(
        arguments: [
            (.zeros, "zeros"), (.ceiling, "ceiling"), (.stuck, "unchanging"),
            (.inconsistent, "inconsistent"),
        ] as [(SDS011Fault, String)]
    )
    func namesAPartThatLies(fault: SDS011Fault, doubt: String) throws {
        let outcome = try hour(with: fault)
        #expect(outcome.doubts == [doubt, doubt])
        #expect(outcome.kinds == ["sensor found", "readings doubtful", "readings good again"])
    }

    @Test(
        arguments: [
            .garbage, .splitFrames, .mergedFrames, .lateReply, .doubleWake, .flippedBits,
        ] as [SDS011Fault]
    )
    func readsOnThroughWhatIsOnlyUntidy(fault: SDS011Fault) throws {
        let outcome = try hour(with: fault)
        #expect(outcome.samples.allSatisfy { $0[0].outcome.value != nil })
        #expect(!outcome.kinds.contains("sensor not answering"))
    }

    @Test func measuresWithoutAcknowledgementsAndSaysSo() throws {
        let outcome = try hour(with: .noAcknowledgement)
        #expect(outcome.samples.allSatisfy { $0[0].outcome.value != nil })
        #expect(
            outcome.kinds == [
                "sensor found", "sensor does not acknowledge", "sensor acknowledges again",
            ]
        )
    }

    @Test func followsAPartThatChangesItsIDAndSaysSo() throws {
        let outcome = try hour(with: .wrongID)
        #expect(outcome.kinds == ["sensor found", "sensor id changed", "sensor id changed"])
    }

    @Test func takesNoValueFromAnotherPartThanTheOneConfigured() throws {
        let (samples, kinds) = try simulate { clock in
            let bench = SDS011Bench(
                clock: clock,
                simulator: SDS011Simulator(faults: [SDS011FaultWindow(.wrongID)])
            ) { $0.id = "A160" }
            try await bench.run(for: .seconds(599))
            return (bench.sink.samples, bench.sink.eventKinds)
        }
        #expect(samples.map { $0[0].outcome } == [.noData(.badFrames), .noData(.badFrames)])
        #expect(kinds.contains("another sensor answers"))
        #expect(kinds.contains("sensor not answering"))
    }

    @Test(arguments: [SensorMode.dutyCycle(.sds011), .live])
    func givesWayToAnotherPartWhenNoRemedyHelps(_ mode: SensorMode) throws {
        let (error, kinds) = try simulate { clock in
            let bench = SDS011Bench(clock: clock, mode: mode) { setup in
                (setup.id, setup.yieldsToAnother) = ("A162", true)
            }
            var error: AnotherPart?
            do { try await bench.run(for: .minutes(6)) } catch let found as AnotherPart {
                error = found
            }
            return (error, bench.sink.eventKinds)
        }
        #expect(error?.wanted == "A162" && error?.found == "A160")
        #expect(kinds.contains("sensor not answering"), "not before it was named")
    }

    @Test func staysWithAPartThatSaysAWrongIDForAMoment() throws {
        let (samples, kinds) = try simulate { clock in
            let end = MonotonicInstant.boot.advanced(by: .minutes(4))
            let bench = SDS011Bench(
                clock: clock,
                simulator: SDS011Simulator(faults: [SDS011FaultWindow(.wrongID, to: end)])
            ) { setup in (setup.id, setup.yieldsToAnother) = ("a160", true) }
            try await bench.run(for: .seconds(899))
            return (bench.sink.samples, bench.sink.eventKinds)
        }
        #expect(samples.map { $0[0].outcome.value != nil } == [false, true, true])
        #expect(kinds.contains("another sensor answers"))
    }

    @Test func accountsForASuspendedNightThatAChangeOfModeEnds() throws {
        let (samples, wokenAt) = try simulate { clock in
            let bench = SDS011Bench(clock: clock)
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

    @Test func measuresWithinAPeriodWhenALongSilenceEnds() throws {
        let samples = try simulate { clock in
            let end = MonotonicInstant.boot.advanced(by: .minutes(121))
            let silence = SDS011FaultWindow(.silence, to: end)
            let bench = SDS011Bench(clock: clock, simulator: SDS011Simulator(faults: [silence]))
            try await bench.run(for: .seconds(3 * 3_600 - 1))
            return bench.sink.samples
        }
        let first = try #require(samples.first { $0[0].outcome.value != nil })
        #expect(first[0].instant < .boot.advanced(by: .minutes(126)))
    }

    @Test func bringsBackAWedgedPartThatLosesItsPowerWhenReopened() throws {
        let (samples, kinds) = try simulate { clock in
            let wedge = SDS011FaultWindow(
                .wedge,
                from: .boot.advanced(by: .seconds(300)),
                to: .boot.advanced(by: .seconds(320))
            )
            let bench = SDS011Bench(clock: clock, simulator: SDS011Simulator(faults: [wedge]))
            async let run: Void = bench.run(for: .seconds(3_599))
            try await clock.sleep(for: .seconds(1_750))
            bench.line.withPeer { peer, now in peer.powerCycle(at: now) }
            try await run
            return (bench.sink.samples, bench.sink.eventKinds)
        }
        #expect(samples.count == 12)
        #expect(samples.filter { $0[0].outcome == .noData(.replyTimeout) }.count == 5)
        #expect(kinds.suffix(2) == ["sensor not answering", "sensor answering again"])
    }

    @Test(arguments: SDS011Fault.allCases)
    func accountsForEverySecondLive(fault: SDS011Fault) throws {
        let (samples, fired, kinds) = try simulate { clock in
            let window = SDS011FaultWindow(
                fault,
                from: .boot.advanced(by: .seconds(100)),
                to: .boot.advanced(by: .seconds(1_000))
            )
            let bench = SDS011Bench(
                clock: clock,
                simulator: SDS011Simulator(faults: [window]),
                mode: .live
            )
            try await bench.run(for: .seconds(2_000))
            return (bench.sink.samples, bench.fired(fault), bench.sink.eventKinds)
        }
        #expect(abs(samples.count - 2_000) <= 20)
        let gaps = zip(samples, samples.dropFirst()).map {
            $0[0].instant.duration(to: $1[0].instant)
        }
        #expect(gaps.allSatisfy { $0 < .milliseconds(2_500) })
        if fault != .wedge { #expect(samples.last?[0].outcome.value != nil) }
        if fault != .doubleWake, fault != .noFirmware, fault != .noAcknowledgement,
            fault != .lateReply
        {
            #expect(fired > 0)
        }
        let isDeaf = [.silence, .babble, .wrongRate, .wedge].contains(fault)
        #expect(kinds.contains("sensor not answering") == isDeaf)
    }
}
