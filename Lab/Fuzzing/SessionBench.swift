import Core
import Devices
import HardwareIO
import Runtime
import SimulationKit

/// One session and one simulated part, without a driver, a line or a task: carries out actions at
/// once and moves time to what comes next.
struct SessionBench {
    private(set) var session: SensorSession
    private(set) var part: SensorPart
    let dialect: any SensorDialect
    private(set) var now = MonotonicInstant.boot
    private(set) var writes: [(instant: MonotonicInstant, bytes: [UInt8])] = []
    private(set) var samples: [[Reading]] = []
    private(set) var missCount = 0
    private(set) var events: [Event] = []
    private(set) var accounted: Duration = .zero
    private(set) var states: Set<SensorSession.State> = []
    private var arrived: [UInt8] = []
    private var actions: [SensorAction] = []

    init(
        _ kind: SensorKind,
        mode: SensorMode,
        faults: [SensorFaultWindow] = [],
        adjust: (inout SensorDependencies) -> Void = { _ in }
    ) throws {
        let profile = BenchProfile.make(of: kind)
        dialect = try kind.dialect(profile)
        part = SensorPart(try kind.simulator(profile, 1), faults: faults)
        let clock = SimulatedClock()
        var setup = SensorDependencies(
            name: "balcony",
            port: SimulatedSerialPort(part, clock: clock),
            environment: DriverEnvironment(
                clock: clock,
                sink: RecordingSink(),
                heartbeat: Heartbeat(clock: clock, limit: .seconds(60))
            ),
            profile: profile,
            mode: mode
        )
        setup.warmUp = BenchProfile.cycle.warmUp
        setup.reopen = { throw CancellationError() }
        adjust(&setup)
        session = SensorSession(setup, speaking: dialect)
    }

    var isOver: Bool { session.state == .finished }
    var kinds: [String] { events.map(\.kind.name) }

    /// Hands an event to the session and carries out what it wants.
    mutating func handle(_ event: SensorEvent) {
        session.handle(event, at: now, into: &actions)
        carryOut()
    }

    mutating func leave() {
        session.leave(at: now, into: &actions)
        carryOut()
    }

    /// Runs until an instant or the end of the session.
    mutating func run(until end: MonotonicInstant) {
        if session.state == .starting { handle(.start) }
        while now <= end, !isOver {
            states.insert(session.state)
            switch session.wait {
            case .end: return
            // The line is the same one.
            case .line: handle(.opened(poweredAt: nil))
            case .time(let deadline, _):
                guard move(to: deadline, before: end) else { return }
                handle(.time)
            case .bytes(let count, let deadline):
                arrived += part.advance(to: now)
                if arrived.count >= count || (deadline <= now && !arrived.isEmpty) {
                    let bytes = arrived
                    arrived = []
                    session.receive(bytes.span, at: now, into: &actions)
                    carryOut()
                } else if deadline <= now {
                    handle(.time)
                } else {
                    let next = [deadline, part.nextActivity].compactMap(\.self).min()
                    guard move(to: next ?? deadline, before: end) else { return }
                }
            }
        }
    }

    /// Moves time on without the session, as when the process stands still.
    mutating func skip(to instant: MonotonicInstant) {
        now = instant
        _ = part.advance(to: now)
        arrived.removeAll()
    }

    private mutating func move(to instant: MonotonicInstant, before end: MonotonicInstant) -> Bool {
        guard instant <= end else {
            now = max(now, end)
            return false
        }
        now = max(now, instant)
        return true
    }

    private mutating func carryOut() {
        for action in actions {
            switch action {
            case .write(let bytes):
                writes.append((now, bytes))
                arrived += part.receive(bytes, at: now)
            case .discardInput:
                _ = part.advance(to: now)
                arrived.removeAll()
            case .accept(let readings): samples.append(readings)
            case .miss(_, let missed): missCount += missed.count
            case .record(let event): events.append(event)
            case .laser(let time): accounted += time.time
            case .beat, .time: break
            }
        }
        actions.removeAll(keepingCapacity: true)
    }

    // MARK: Commands that the part received

    /// Whether the last command was to rest.
    var isLeftAtRest: Bool {
        let rest = dialect.commands(for: .rest).map(\.bytes)
        return writes.suffix(rest.count).map(\.bytes) == rest
    }

    /// How long the part ran: from the first command to wake to the last one to rest.
    var runTime: Duration {
        let wake = dialect.commands(for: .wake).first?.bytes
        let rest = dialect.commands(for: .rest).last?.bytes
        var (time, since) = (Duration.zero, MonotonicInstant?.none)
        for write in writes {
            if write.bytes == wake { since = since ?? write.instant }
            if write.bytes == rest, let start = since {
                time += start.duration(to: write.instant)
                since = nil
            }
        }
        return time
    }
}
