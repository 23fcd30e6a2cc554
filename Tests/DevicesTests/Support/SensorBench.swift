import HardwareIO
import Profiles
import Testing

@testable import Core
@testable import Devices
@testable import Fuzzing
@testable import Runtime
@testable import SimulationKit

/// One driver of the catalog with one simulated part on one simulated line.
final class SensorBench: Sendable {
    let clock: SimulatedClock
    let sink = RecordingSink()
    let line: SimulatedSerialPort<SensorPart>
    let driver: any AnySensorDriver
    let dialect: any SensorDialect
    let heartbeat: Heartbeat

    init(
        _ kind: SensorKind,
        clock: SimulatedClock,
        mode: SensorMode = .dutyCycle(BenchProfile.cycle),
        part: SensorPart? = nil,
        adjust: (inout SensorDependencies) -> Void = { _ in }
    ) throws {
        self.clock = clock
        let profile = BenchProfile.make(of: kind)
        dialect = try kind.dialect(profile)
        let part = try part ?? SensorPart(kind.simulator(profile, 1))
        let line = SimulatedSerialPort(part, clock: clock)
        self.line = line
        heartbeat = Heartbeat(clock: clock, limit: .seconds(60))
        var setup = SensorDependencies(
            name: "balcony",
            port: line,
            environment: DriverEnvironment(clock: clock, sink: sink, heartbeat: heartbeat),
            profile: profile,
            mode: mode
        )
        setup.warmUp = BenchProfile.cycle.warmUp
        setup.reopen = { SensorDependencies.Line(line.reopen(), poweredAt: nil) }
        adjust(&setup)
        driver = try kind.makeDriver(setup)
    }

    /// Runs the driver for so long, then stops it in order.
    func run(for duration: Duration) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.driver.run() }
            group.addTask {
                try await self.clock.sleep(for: duration)
                self.driver.requestStop()
            }
            try await group.waitForAll()
        }
    }

    /// Runs the driver for so long, then cancels it.
    func runAndCancel(after duration: Duration) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.driver.run() }
            try await self.clock.sleep(for: duration)
            group.cancelAll()
            do { try await group.waitForAll() } catch is CancellationError {}
        }
    }

    /// Bytes that the host sent, all of them.
    var written: [UInt8] { line.trace.filter(\.isFromHost).flatMap(\.bytes) }

    /// Whether the last words to the part were to rest, or there were none, and the line is free.
    var isLeftAtRest: Bool {
        let words = dialect.commands(for: .rest).flatMap(\.bytes)
        let written = written
        return !line.isOpen && (written.isEmpty || written.suffix(words.count) == words[...])
    }
}
