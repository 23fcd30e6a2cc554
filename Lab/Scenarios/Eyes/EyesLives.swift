import Camera
import ControlProtocol
import Core
import HardwareIO
import Logging
import SimulationKit

/// The camera's program beside a station, started again after each kill, until the machine ends.
///
/// Unchecked: one simulation is one thread.
final class EyesLives: @unchecked Sendable {
    /// systemd's `RestartSec`.
    private static let restartPause: Duration = .seconds(5)

    static let retentionDays = 30

    /// Times without recording, in the zone of the simulated machine, UTC.
    static var masks: MaskClock {
        MaskClock([maskTime]) { $0 / 60 % 1_440 }
    }

    /// Not in the quiet time of a life of whole days.
    private static let maskTime: MaskTime = {
        guard let time = MaskTime("12:00-14:00") else { preconditionFailure("is a time") }
        return time
    }()

    private unowned let machine: Machine
    private var watcher: MotionWatcher?
    private var killed = Signal()
    /// Motions that came to the present process.
    fileprivate var heardCount = 0

    init(on machine: Machine) { self.machine = machine }

    /// Ends the process here, and lets another one begin.
    func kill() {
        guard watcher != nil else { return }
        machine.world.fire(.eyesKill)
        killed.raise()
    }

    func run() async throws {
        while !Task.isCancelled, !machine.isDead {
            let (killed, clock, watcher) = (Signal(), machine.clock, watcherOfOneProcess())
            (self.killed, self.watcher, heardCount) = (killed, watcher, 0)
            do {
                _ = try await clock.run {
                    try await watcher.run()
                } unless: {
                    _ = try await clock.wait(for: killed, until: nil, tolerance: .zero)
                }
            } catch let error where !(error is CancellationError) {
                if !machine.isDead { record("the camera's program ended: \(error)") }
            }
            checkCounts()
            self.watcher = nil
            try await clock.sleep(for: Self.restartPause)
        }
    }

    /// Demands that each motion that came is in one of the counts.
    private func checkCounts() {
        guard let motions = watcher?.counts.motions else { return }
        let sum = motions.taken + motions.leftOut + motions.masked + motions.waiting
        guard sum != heardCount else { return }
        record("\(heardCount) motions came, and \(sum) were counted")
    }

    private func record(_ fault: String) { machine.world.records.eyes.faults.append(fault) }

    private func watcherOfOneProcess() -> MotionWatcher {
        var logger = Logger(label: "eyes") { _ in SwiftLogNoOpLogHandler() }
        logger.logLevel = .critical
        let (machine, world) = (machine, machine.world)
        let settings = MotionWatcher.Settings(
            masks: Self.masks,
            retentionDays: Self.retentionDays,
            boot: machine.boot
        ) {
            machine.clock.wallReading?.wall ?? WallTime(nanoseconds: 0)
        }
        let station = SocketClient(clock: machine.clock) { [unowned self] in
            guard !machine.isDead else {
                throw LocalSocketError.system(call: "connect", errno: 2, path: "/run/roost")
            }
            return Followed(machine.base.socket.connect(), of: self, world, machine)
        }
        return MotionWatcher(
            settings,
            camera: WorldCamera(machine: machine),
            station: station,
            logger: logger
        ) { _ in }
    }
}

/// A connection to the station that counts the motions which come by it.
///
/// Unchecked: one simulation is one thread.
private final class Followed: LineConnection, @unchecked Sendable {
    private let connection: any LineConnection
    private let lives: EyesLives
    private let world: World
    private let machine: Machine
    /// Index among the follows; nil until the stream is asked for.
    private var place: Int?

    init(
        _ connection: any LineConnection,
        of lives: EyesLives,
        _ world: World,
        _ machine: Machine
    ) {
        (self.connection, self.lives) = (connection, lives)
        (self.world, self.machine) = (world, machine)
    }

    var peer: PeerCredentials? { connection.peer }

    func nextLine() async throws -> String? {
        let line = try await connection.nextLine()
        guard let place, let line else { return line }
        let item = try ControlCodec.message(LiveItem.self, from: line)
        world.records.eyes.follows[place].omittedCount += item.omittedCount ?? 0
        guard let event = item.event, event.kind == "motion" else { return line }
        if world.planted == .deafEyes { return try await nextLine() }
        lives.heardCount += 1
        let instant = MonotonicInstant(
            nanoseconds: Int64((event.instantSeconds * 1_000_000_000).rounded())
        )
        world.records.eyes.follows[place].motions.insert(EyesRecords.key(instant))
        return line
    }

    func send(_ line: String) throws(LocalSocketError) {
        try connection.send(line)
        guard place == nil, line.contains("\"live\"") else { return }
        place = world.records.eyes.follows.count
        world.records.eyes.follows.append(
            EyesRecords.Follow(segment: world.records.segments.count - 1, from: machine.now)
        )
    }

    func close() {
        connection.close()
        guard let place, world.records.eyes.follows[place].to == nil else { return }
        world.records.eyes.follows[place].to = machine.isDead ? machine.endedAt : machine.now
    }
}
