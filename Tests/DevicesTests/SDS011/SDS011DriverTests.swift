import Devices
import HardwareIO
import Readings
import Scheduling
import SimulationKit
import Supervision
import Testing

@Suite struct SDS011DriverTests {
    @Test func samplesOncePerPeriodAndSpendsTheLaserHoursComputed() throws {
        let (samples, laserTime, events) = try simulate { clock in
            let bench = SDS011Bench(clock: clock)
            try await bench.run(for: .seconds(86_399))
            return (bench.sink.samples, bench.laserTime, bench.sink.eventKinds)
        }
        #expect(samples.count == 288)
        #expect(samples.allSatisfy { $0.count == 2 && $0.allSatisfy { $0.outcome.value != nil } })
        #expect(laserTime == .seconds(288 * 30))
        #expect(events == ["sensor found"])
    }

    @Test func streamsOneSampleASecondLive() throws {
        let (samples, events) = try simulate { clock in
            let bench = SDS011Bench(clock: clock, mode: .live)
            try await bench.run(for: .seconds(60))
            return (bench.sink.samples, bench.sink.eventKinds)
        }
        #expect(samples.count == 60)
        #expect(samples.dropFirst(3).allSatisfy { $0[0].outcome.value != nil })
        #expect(events == ["sensor found"])
    }
}
