import HardwareIO
import Synchronization

@testable import Core
@testable import Devices
@testable import Fuzzing
@testable import Runtime
@testable import SimulationKit

extension DutyCycle {
    /// That of the shipped profile.
    static let sds011 = DutyCycle(
        period: .minutes(5),
        warmUp: .seconds(20),
        window: .seconds(5),
        tolerance: .seconds(10)
    )
}

/// One driver with one simulated part on one simulated line.
final class SDS011Bench: Sendable {
    let clock: SimulatedClock
    let sink = RecordingSink()
    let line: SimulatedSerialPort<SDS011Simulator>
    let driver: SensorDriver
    let heartbeat: Heartbeat

    init(
        clock: SimulatedClock,
        simulator: SDS011Simulator = SDS011Simulator(),
        mode: SensorMode = .dutyCycle(.sds011),
        baud: Int? = nil,
        laser: LaserLog? = nil,
        adjust: (inout SensorDependencies) -> Void = { _ in }
    ) {
        self.clock = clock
        let line = SimulatedSerialPort(simulator, clock: clock, baud: baud)
        self.line = line
        heartbeat = Heartbeat(clock: clock, limit: .seconds(60))
        var environment = DriverEnvironment(clock: clock, sink: sink, heartbeat: heartbeat)
        if let laser { environment.laser = { time in laser.append(time) } }
        var setup = SensorDependencies(
            name: "balcony",
            port: line,
            environment: environment,
            profile: BenchProfile.make(of: .sds011),
            mode: mode
        )
        setup.warmUp = .seconds(15)
        setup.reopen = { SensorDependencies.Line(line.reopen(), poweredAt: nil) }
        adjust(&setup)
        driver = SensorDriver(setup, speaking: SDS011Dialect())
    }

    var laserTime: Duration { line.withPeer { peer, now in peer.laserTime(at: now) } }
    var isAsleep: Bool { line.withPeer { peer, _ in peer.state == .sleep } }
    func fired(_ fault: SDS011Fault) -> Int {
        line.withPeer { peer, _ in peer.faultCounts[fault, default: 0] }
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

    /// Runs the driver for so long, then cancels it; what it threw, if anything.
    func runAndCancel(after duration: Duration) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.driver.run() }
            try await self.clock.sleep(for: duration)
            group.cancelAll()
            do { try await group.waitForAll() } catch is CancellationError {}
        }
    }
}

/// Records the laser times that a driver reports.
final class LaserLog: Sendable {
    private let log = Mutex<[LaserTime]>([])

    var times: [LaserTime] { log.withLock { $0 } }

    func append(_ time: LaserTime) { log.withLock { $0.append(time) } }
}
