import Core
import HardwareIO
import Scheduling
import Supervision
import Synchronization

/// Measures with one SDS011, on a duty cycle or live.
///
/// On a duty cycle one sample is the median of the measurements asked for in the window: each value
/// is one the part really said, and a single bad frame does not move it. Live, each frame is one.
///
/// The laser is rated for 8 000 h, so every way out of `run()` leaves it off: after an orderly stop
/// acknowledged, after cancellation or a failure told without waiting.
package actor SDS011Driver: OrderlyStop {
    /// Opens the port anew.
    package typealias Reopen = @Sendable () async throws -> any SerialPort

    /// Longer than the whole ladder takes, so that working on a remedy is progress.
    static let patience: Duration = .seconds(60)
    /// After a longer gap the rest is skipped, and said in one event.
    static let missedMax = 2_016

    let name: String
    let clock: any NodeClock
    let sink: any ReadingSink
    let heartbeat: Heartbeat
    let settings: SDS011Settings
    let laser: (@Sendable (LaserTime) -> Void)?
    let stoodStill: (@Sendable (Range<MonotonicInstant>) -> Void)?
    let reopen: Reopen?
    var port: any SerialPort

    private let requested: Mutex<RequestedMode>
    private let change = Signal()
    /// Ends the one wait that `change` does not: for a port that does not open.
    let stop = Signal()
    private let stopRequested = Atomic(false)

    // What is known about the part.
    var decoder = SDS011Decoder()
    var knownID: SDS011DeviceID?
    var firmware: SDS011Firmware?
    var isFirmwareMissed = false
    var configuredMode: SDS011ReportMode?  // Nil: settings must be restored.
    var isAwake: Bool?
    var awakeSince: MonotonicInstant?
    var laserBefore: Duration = .zero
    /// Up to here the time of the laser is in the account.
    var laserTold = MonotonicInstant.boot
    var isAcknowledging = true
    var hasMissedAcknowledgement = false
    var foreignID: SDS011DeviceID?
    /// Frames of other parts.
    var foreignCount = 0

    // What came of it.
    var eventBudget = EventBudget(perHour: 120)
    var ladder = RecoveryPolicy()
    var nextAttempt: MonotonicInstant?
    var judge = SDS011Judge()
    /// Its datasheet says one in 1 ± 0.5 s.
    var sampleBudget = SampleBudget(fastest: .milliseconds(500))
    var isResetWanted = false  // Stuck or zero in live mode: sleep and wake, once.
    var lastMeasurement: SDS011Measurement?
    var lastMeasurementAt: MonotonicInstant?
    var skippedBefore = 0
    var accountedUntil = MonotonicInstant.boot
    /// Whether `accountedUntil` is of this stay in live mode.
    var isAccounting = false
    var warmAt = MonotonicInstant.boot

    /// A driver that has not touched the port yet.
    ///
    /// - Parameters:
    ///   - name: The device's name, for channels and events.
    ///   - port: The open line; the driver closes it at its end.
    ///   - environment: Clock, sink and heartbeat.
    ///   - mode: How to begin; see `setMode(_:)`.
    ///   - settings: How to talk to the part.
    ///   - reopen: Opens the port anew, as a remedy; nil skips that remedy.
    package init(
        name: String,
        port: any SerialPort,
        environment: DriverEnvironment,
        mode: SensorMode,
        settings: SDS011Settings = SDS011Settings(),
        reopen: Reopen? = nil
    ) {
        self.name = name
        self.port = port
        clock = environment.clock
        sink = environment.sink
        heartbeat = environment.heartbeat
        (laser, stoodStill) = (environment.laser, environment.stoodStill)
        requested = Mutex(RequestedMode(mode))
        self.settings = settings
        self.reopen = reopen
    }

    /// Runs until asked to stop or cancelled.
    ///
    /// - Throws: `SerialError.disconnected` when the port is gone; a fresh driver follows a fresh
    ///   port.
    package func run() async throws {
        defer { leaveAsleep() }
        while !Task.isCancelled, !isStopping {
            judge.restart()
            switch mode {
            case .dutyCycle(let cycle): try await runDutyCycle(cycle)
            case .live: try await runLive()
            }
        }
        if isStopping, !Task.isCancelled { try await fallAsleep() }
    }

    nonisolated package func requestStop() {
        stopRequested.store(true, ordering: .sequentiallyConsistent)
        change.raise()
        stop.raise()
    }

    nonisolated var mode: SensorMode { requested.withLock { $0.mode } }
    /// When the mode was last changed; nil before that.
    nonisolated var modeSince: MonotonicInstant? { requested.withLock { $0.since } }

    /// Changes the mode; a measurement in progress on a duty cycle is given up for it.
    nonisolated package func setMode(_ mode: SensorMode) {
        let now = clock.now
        if requested.withLock({ $0.change(to: mode, at: now) }) { change.raise() }
    }

    package var status: SDS011Status {
        SDS011Status(
            deviceID: knownID,
            firmware: firmware,
            isAwake: isAwake,
            laserTime: laserBefore + (awakeSince.map { $0.duration(to: clock.now) } ?? .zero),
            lastMeasurement: lastMeasurement,
            lastMeasurementAt: lastMeasurementAt,
            isAnswering: ladder.failingSince == nil,
            remedy: ladder.remedy,
            doubts: judge.doubts,
            isAcknowledging: isAcknowledging,
            surplusCount: sampleBudget.surplusCount,
            frameCount: decoder.frameCount,
            rejectedCount: decoder.rejectedCount,
            skippedByteCount: decoder.skippedByteCount
        )
    }

    var isStopping: Bool { stopRequested.load(ordering: .sequentiallyConsistent) }

    /// Whether to go on in this mode.
    func goesOn(in mode: SensorMode) -> Bool {
        !Task.isCancelled && !isStopping && self.mode == mode
    }

    /// Waits unless the mode changes or a stop is asked for; true when the time has come.
    func pause(
        until deadline: MonotonicInstant,
        tolerance: Duration = .zero,
        in mode: SensorMode
    ) async throws -> Bool {
        while goesOn(in: mode) {
            if deadline <= clock.now { return true }
            if try await !clock.wait(for: change, until: deadline, tolerance: tolerance) {
                return true
            }
        }
        return false
    }

    /// Told and not waited for: there may be no time left to wait in.
    private func leaveAsleep() {
        if isAwake != false { try? port.write(SDS011Command.setState(.sleep).bytes(to: address)) }
        noteLaser(on: false)
        port.close()
    }
}
