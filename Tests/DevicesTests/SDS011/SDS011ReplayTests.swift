import HardwareIO
import Testing

@testable import Core
@testable import Devices
@testable import Fuzzing
@testable import Runtime
@testable import SimulationKit

/// Recordings through the driver: the values of the listing, no more and no less.
@Suite struct SDS011ReplayTests {
    private struct Played: Sendable {
        let values: [[FixedPoint?]]
        let report: SensorReport
        let eventKinds: [String]
    }

    /// Plays a recording at 1 Hz to a driver in live mode.
    private func play(_ recording: SDS011Recording) throws -> Played {
        try simulate { clock in
            let replay = SDS011Replay(recording, startingAt: .boot.advanced(by: .seconds(1)))
            let line = SimulatedSerialPort(replay, clock: clock, baud: 9_600)
            let sink = RecordingSink()
            var setup = SensorDependencies(
                name: "balcony",
                port: line,
                environment: DriverEnvironment(
                    clock: clock,
                    sink: sink,
                    heartbeat: Heartbeat(clock: clock, limit: .seconds(60))
                ),
                profile: BenchProfile.make(of: .sds011),
                mode: .live
            )
            setup.warmUp = .zero
            let driver = SensorDriver(setup, speaking: SDS011Dialect())
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await driver.run() }
                try await clock.sleep(for: .seconds(recording.pieces.count + 1))
                driver.requestStop()
                try await group.waitForAll()
            }
            let samples = sink.samples.filter { $0[0].outcome.value != nil }
            return Played(
                values: samples.map { $0.map(\.outcome.value) },
                report: await driver.report,
                eventKinds: sink.eventKinds
            )
        }
    }

    @Test func givesTheValuesOfTheRecordedCapture() throws {
        let played = try play(SDS011Recording(hexDump: Fixture.text("SDS01x.hexdump")))
        let listed = try Fixture.text("SDS01x.csv").split(separator: "\n").dropFirst().map {
            $0.split(separator: ",").dropFirst().compactMap { Double($0.drop { $0 == " " }) }
        }
        #expect(played.values.map { $0.compactMap { $0?.doubleValue } } == listed)
        #expect(played.report.facts.first == Fact("id", "58D9"))
        #expect(played.report.facts.contains(Fact("rejectedCount", 0)))
        #expect(played.eventKinds == ["sensor found"])
    }

    @Test func givesTheValuesAndRejectionsOfTheListedFrames() throws {
        let fixture = try SDS011FrameFixture.load()
        let measurements = fixture.fromSensor.filter { $0.pm25 != nil }
        let checksum = try #require(
            fixture.streams.first { $0.name == "checksum error then good frame" }
        )
        let joined = try #require(
            fixture.streams.first { $0.name.hasPrefix("active stream joined") }
        )
        let pieces = try measurements.map { try $0.bytes } + [checksum.bytes, joined.bytes]
        let played = try play(SDS011Recording(pieces: pieces))
        let listed = measurements.compactMap(\.pm25) + [123.6, 22.6]
        #expect(played.values.compactMap { $0[0]?.doubleValue } == listed)
        // The wrong checksum, and the half frame at the end that the reply to `sleep` runs into.
        #expect(played.report.facts.contains(Fact("rejectedCount", 2)))
    }
}
