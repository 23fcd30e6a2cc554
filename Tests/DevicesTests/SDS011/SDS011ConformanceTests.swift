import HardwareIO
import Testing

@testable import Core
@testable import Devices
@testable import Runtime
@testable import SimulationKit

/// Faults that the driver must survive, with the laser off afterwards.
@Suite struct SDS011ConformanceTests {
    static let modes: [SensorMode] = [.dutyCycle(.sds011), .live]

    @Test(arguments: modes)
    func throwsWhenThePortIsGoneAtTheStart(mode: SensorMode) throws {
        #expect(throws: SerialError.disconnected(path: "/dev/ttyUSB0")) {
            try simulate { clock in
                let bench = SDS011Bench(clock: clock, mode: mode)
                bench.line.unplug()
                try await bench.run(for: .seconds(10))
            }
        }
    }

    @Test(arguments: modes, [1, 9, 10, 15, 39, 40, 41, 55])
    func throwsWhenUnpluggedInMidFrame(mode: SensorMode, byteCount: Int) throws {
        #expect(throws: SerialError.disconnected(path: "/dev/ttyUSB0")) {
            try simulate { clock in
                let bench = SDS011Bench(clock: clock, mode: mode) { $0.reopen = nil }
                bench.line.unplug(afterBytes: byteCount)
                try await bench.run(for: .seconds(1_000))
            }
        }
    }

    @Test(arguments: modes, [3, 27, 29, 100, 301] as [Int])
    func throwsWhenUnpluggedWhileItWaits(mode: SensorMode, second: Int) throws {
        #expect(throws: SerialError.disconnected(path: "/dev/ttyUSB0")) {
            try simulate { clock in
                let bench = SDS011Bench(clock: clock, mode: mode)
                bench.line.unplug(at: .boot.advanced(by: .seconds(second)))
                try await bench.run(for: .seconds(1_000))
            }
        }
    }

    @Test(arguments: modes)
    func throwsWhenTheLineTakesNothing(mode: SensorMode) throws {
        #expect(throws: SerialError.backlog(path: "/dev/ttyUSB0")) {
            try simulate { clock in
                let mute = SDS011Simulator(memory: .init(reportMode: .query))
                let bench = SDS011Bench(clock: clock, simulator: mute, mode: mode)
                bench.line.stopTaking()
                try await bench.run(for: .days(2))
            }
        }
    }

    /// Healthy, and with faults that stretch every wait.
    static let faults: [SDS011Fault?] = [
        nil, .silence, .babble, .lateReply, .doubleWake, .noAcknowledgement, .splitFrames,
        .garbage, .flippedBits, .zeros,
    ]

    @Test(arguments: modes, faults)
    func isAsleepWheneverItIsCancelled(mode: SensorMode, fault: SDS011Fault?) throws {
        // Prime steps reach every wait of the first 70 s, remedies included.
        for milliseconds in stride(from: 0, through: 70_000, by: 773) {
            let (isAsleep, isOpen) = try simulate { clock in
                let bench = SDS011Bench(
                    clock: clock,
                    simulator: SDS011Simulator(faults: fault.map { [SDS011FaultWindow($0)] } ?? []),
                    mode: mode
                )
                try await bench.runAndCancel(after: .milliseconds(milliseconds))
                return (bench.isAsleep, bench.line.isOpen)
            }
            #expect(isAsleep && !isOpen, "cancelled after \(milliseconds) ms")
        }
    }

    @Test(arguments: modes, faults)
    func stopsInOrderWithinItsGraceWheneverItIsAsked(
        mode: SensorMode,
        fault: SDS011Fault?
    ) throws {
        for milliseconds in stride(from: 0, through: 70_000, by: 1_373) {
            let (isAsleep, took) = try simulate { clock in
                let bench = SDS011Bench(
                    clock: clock,
                    simulator: SDS011Simulator(faults: fault.map { [SDS011FaultWindow($0)] } ?? []),
                    mode: mode
                )
                try await bench.run(for: .milliseconds(milliseconds))
                let asked = MonotonicInstant.boot.advanced(by: .milliseconds(milliseconds))
                return (bench.isAsleep, asked.duration(to: clock.now))
            }
            #expect(isAsleep, "stopped after \(milliseconds) ms")
            #expect(took <= .milliseconds(4_100), "stopped after \(milliseconds) ms")
        }
    }

    @Test func isAcknowledgedAsleepAfterAnOrderlyStop() throws {
        let trace = try simulate { clock in
            let bench = SDS011Bench(clock: clock, mode: .live)
            try await bench.run(for: .seconds(20))
            return bench.line.trace
        }
        let last = try #require(trace.last)
        #expect(!last.isFromHost)
        var decoder = SDS011Decoder()
        let frame = try #require(decoder.decode(last.bytes).last).get()
        #expect(SDS011Command.setState(.sleep).isAnswered(by: frame))
    }

    @Test func isAsleepWhenCancelledWhileThePortIsReopened() throws {
        let isAsleep = try simulate { clock in
            let mute = SDS011Simulator(faults: [SDS011FaultWindow(.silence)])
            let bench = SDS011Bench(clock: clock, simulator: mute) { setup in
                setup.delayReopen(clock, by: .hours(1))
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await bench.driver.run() }
                try await clock.sleep(for: .minutes(1))
                #expect(!bench.line.isOpen)
                group.cancelAll()
                do { try await group.waitForAll() } catch is CancellationError {}
            }
            return bench.isAsleep
        }
        #expect(isAsleep)
    }

    @Test func saysThatItStoppedBeforeItCouldMeasure() throws {
        let samples = try simulate { clock in
            let bench = SDS011Bench(clock: clock)
            try await bench.run(for: .seconds(10))
            return bench.sink.samples
        }
        #expect(samples.map { $0.map(\.outcome) } == [[.noData(.stopped), .noData(.stopped)]])
    }
}
