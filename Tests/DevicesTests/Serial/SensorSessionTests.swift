import FoundationEssentials
import HardwareIO
import TestSupport
import Testing

@testable import Core
@testable import Devices
@testable import Fuzzing
@testable import Runtime

/// Contract of a session with any part that can rest, tested without a driver.
@Suite struct SensorSessionTests {
    static let resting = SessionEnds.drivers
    static let modes: [SensorMode] = [.dutyCycle(BenchProfile.cycle), .live]

    private func bench(
        _ driver: String,
        _ mode: SensorMode,
        _ faults: [SensorFaultWindow] = []
    ) throws -> SessionBench {
        try SessionBench(#require(DeviceCatalog.kind(driver)), mode: mode, faults: faults)
    }

    private func instant(_ milliseconds: Int) -> MonotonicInstant {
        .boot.advanced(by: .milliseconds(milliseconds))
    }

    @Test func fiveKindsCanRest() {
        #expect(Self.resting == ["sds011", "plantower", "hpma115", "sps30", "i2c-sensor"])
    }

    /// `roost-lab sessions` ends them at each moment under each fault; in the small form each
    /// moment falls to one part, mode and fault.
    @Test(arguments: resting, SessionEnds.Mode.allCases)
    func restsWhereverItIsLeftOrStopped(driver: String, mode: SessionEnds.Mode) throws {
        let ends = try SessionEnds(driver: driver, mode.mode)
        let all = Array(stride(from: 0, through: 400_000, by: 3_571))
        let faults = SessionEnds.faults
        let place = (Self.resting.firstIndex(of: driver) ?? 0) * faults.count
        for (number, fault) in faults.enumerated() {
            let player = place + number + (mode == .live ? 3 : 0)
            let moments = Exhaustive.dealt(all, to: player, of: Self.resting.count * faults.count)
            for milliseconds in moments {
                for way in SessionEnds.Way.allCases {
                    let complaint = try ends.complaint(
                        way,
                        at: .milliseconds(milliseconds),
                        under: fault
                    )
                    let words = "\(fault?.rawValue ?? "well"), \(way) after \(milliseconds) ms"
                    #expect(complaint == nil, "\(words)")
                }
            }
        }
    }

    @Test(arguments: resting, modes)
    func accountsForTheTimeThatThePartRuns(driver: String, mode: SensorMode) throws {
        var bench = try bench(driver, mode)
        bench.run(until: .boot.advanced(by: .minutes(59)))
        bench.handle(.stop)
        bench.run(until: bench.now.advanced(by: .seconds(2)))
        bench.leave()
        #expect(bench.accounted == bench.runTime)
        #expect(bench.accounted > .seconds(11 * 20))
        #expect(bench.samples.count >= 12)
    }

    /// A part that acknowledges gets a command again after exactly one second of silence.
    @Test(arguments: resting, modes)
    func repeatsACommandAfterOneSecond(driver: String, mode: SensorMode) throws {
        var bench = try bench(driver, mode, [SensorFaultWindow(.silence)])
        let wake = try #require(bench.dialect.commands(for: .wake).first)
        bench.run(until: .boot.advanced(by: .seconds(5)))
        let instants = bench.writes.filter { $0.bytes == wake.bytes }.map(\.instant)
        guard wake.isAnswered else { return #expect(instants.count == 1) }
        #expect(instants.count >= 3)
        for (first, second) in zip(instants.prefix(3), instants.prefix(3).dropFirst()) {
            #expect(first.duration(to: second) == .seconds(1))
        }
    }

    @Test(arguments: resting, modes)
    func namesAPartThatIsDeadAndItsReturn(driver: String, mode: SensorMode) throws {
        let (start, end) = (instant(700_000), instant(1_900_000))
        let dead = [SensorFault.silence, .deaf].map { SensorFaultWindow($0, from: start, to: end) }
        var bench = try bench(driver, mode, dead)
        bench.run(until: start)
        #expect(!bench.kinds.contains("remedy tried"))
        // A period, and what all remedies take.
        bench.run(until: start.advanced(by: .seconds(420)))
        let remedies = bench.events.filter { $0.kind.name == "remedy tried" }
        #expect(remedies.map { $0["remedy"] } == ["ask again", "reopen", "rest and wake"])
        #expect(bench.kinds.last == "sensor not answering")
        #expect(bench.session.report(at: bench.now).state == "faulty")
        bench.run(until: end.advanced(by: .seconds(900)))
        #expect(bench.kinds.contains("sensor answering again"))
        let last = try #require(bench.samples.last)
        #expect(last.contains { $0.outcome.value != nil } && last[0].instant > end)
    }

    /// Only its memory is written when a report mode is chosen, which is why that is not said at
    /// each wake.
    @Test func choosesTheReportModeOncePerMode() throws {
        var bench = try bench("sds011", .dutyCycle(BenchProfile.cycle))
        let modes = try #require(bench.dialect.reportModes)
        func count(_ commands: [SensorCommand]) -> Int {
            bench.writes.filter { $0.bytes == commands[0].bytes }.count
        }
        bench.run(until: .boot.advanced(by: .hours(3)))
        #expect(count(modes.answering) == 1 && count(modes.streaming) == 0)
        bench.handle(.mode(.live, since: bench.now))
        bench.run(until: .boot.advanced(by: .hours(4)))
        bench.handle(.mode(.dutyCycle(BenchProfile.cycle), since: bench.now))
        bench.run(until: .boot.advanced(by: .hours(5)))
        #expect(count(modes.answering) == 2 && count(modes.streaming) == 1)
    }

    @Test func looksOnceAPeriodWhetherAPartRestsThatCanBeAsked() throws {
        var bench = try bench("sds011", .dutyCycle(BenchProfile.cycle))
        let question = try #require(bench.dialect.stateProbe?.question)
        bench.run(until: .boot.advanced(by: .seconds(3 * 300 - 1)))
        #expect(bench.writes.filter { $0.bytes == question.bytes }.count == 3)
        #expect(bench.kinds == ["sensor found"])
    }

    @Test func leavesOutTimeInWhichTheProcessStoodStill() throws {
        var bench = try bench("plantower", .live)
        bench.run(until: instant(100_000))
        let before = bench.missCount
        let stretch = bench.now..<bench.now.advanced(by: .hours(2))
        bench.handle(.stoodStill(stretch))
        bench.skip(to: stretch.upperBound)
        bench.run(until: stretch.upperBound.advanced(by: .seconds(10)))
        #expect(bench.missCount == before)
        #expect(!bench.kinds.contains("remedy tried"))
    }

    /// The table in the documentation names each state and each step.
    @Test func documentsEveryState() throws {
        let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let file = URL(filePath: "/\(root)/docs/developing/sensor-session.md")
        let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        let steps = PartDialogue.Step.allCases.map(\.rawValue)
        for name in SensorSession.State.allCases.map(\.rawValue) + steps {
            #expect(text.contains("| `\(name)` |"), "\(name)")
        }
    }

    /// A receiver goes on speaking while the session sleeps, and the kernel keeps the oldest of it.
    @Test func whatWasSaidBeforeLiveBeganIsNoSample() throws {
        var bench = try bench("nmea", .dutyCycle(BenchProfile.cycle))
        bench.run(until: instant(200_000))
        let (count, start) = (bench.samples.count, bench.now)
        bench.handle(.mode(.live, since: start))
        bench.run(until: start.advanced(by: .milliseconds(3_500)))
        let instants = bench.samples.dropFirst(count).map { $0[0].instant }
        #expect((2...4).contains(instants.count) && Set(instants).count == instants.count)
    }
}
