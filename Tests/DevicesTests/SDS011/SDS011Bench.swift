import Core
import Devices
import HardwareIO
import Scheduling
import SimulationKit
import Supervision

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
    let driver: SDS011Driver
    let heartbeat: Heartbeat

    init(
        clock: SimulatedClock,
        simulator: SDS011Simulator = SDS011Simulator(),
        mode: SensorMode = .dutyCycle(.sds011),
        settings: SDS011Settings = SDS011Settings(),
        reopens: Bool = true,
        baud: Int? = nil
    ) {
        self.clock = clock
        let line = SimulatedSerialPort(simulator, clock: clock, baud: baud)
        self.line = line
        heartbeat = Heartbeat(clock: clock, limit: .seconds(60))
        let reopen: SDS011Driver.Reopen = { line.reopen() }
        driver = SDS011Driver(
            name: "balcony",
            port: line,
            environment: DriverEnvironment(clock: clock, sink: sink, heartbeat: heartbeat),
            mode: mode,
            settings: settings,
            reopen: reopens ? reopen : nil
        )
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
