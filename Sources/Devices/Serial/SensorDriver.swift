import Core
import HardwareIO
import Profiles
import Scheduling
import Supervision
import Synchronization

/// Measures with one sensor of any kind that has a dialect, on a duty cycle or live.
///
/// On a duty cycle one sample is the median of the measurements of the window, channel by channel.
/// Live, each streamed measurement is one, or one is asked for each interval.
///
/// Whatever can wear out rests on every way out of `run()`: after an orderly stop acknowledged,
/// after cancellation or a failure told without waiting.
package actor SensorDriver: SensorChild {
    /// Longer than any step of the ladder takes, so that working on a remedy is progress.
    static let patience: Duration = .seconds(60)
    /// After a longer gap the rest is skipped, and said in one event.
    static let missedMax = 2_016
    /// How long an answer may take before it is asked for again.
    ///
    /// The slowest in the catalog answers within 0.1 s; a USB adapter adds 16 ms.
    static let replyTimeout: Duration = .seconds(1)
    /// Wakes from deep sleep may take two commands; the third is for one lost on the way.
    static let wakeAttempts = 3
    /// A fan that starts may keep a part silent for so long.
    static let firstMeasurementTimeout: Duration = .seconds(10)
    /// The longest wait on the line, so that a stop is noticed within its grace.
    static let readSlice: Duration = .seconds(3)
    /// Measurements that one window is made of; more are not read.
    static let windowMax = 256

    let setup: SensorSetup
    let clock: any NodeClock
    let sink: any ReadingSink
    let heartbeat: Heartbeat
    /// Places of the channels among what the dialect measures.
    let shown: [Int]
    let channels: [Channel]
    /// From one sample to the next in `live`.
    let interval: Duration
    /// Whether the part knows any rest at all.
    let canRest: Bool
    var port: any SerialPort

    private let requested: Mutex<RequestedMode>
    private let change = Signal()
    /// Ends the one wait that `change` does not: for a port that does not open.
    let stop = Signal()
    private let stopRequested = Atomic(false)

    // What is known about the part.
    var dialect: any SensorDialect
    var knownID: String?
    var foreignID: String?
    /// What other parts said.
    var foreignCount = 0
    var facts: [Event.Detail] = []
    var isIntroduced = false
    var isAwake: Bool?
    var awakeSince: MonotonicInstant?
    var awakeBefore: Duration = .zero
    /// Up to here the time that it was awake is in the account.
    var awakeTold = MonotonicInstant.boot
    var warmAt: MonotonicInstant?
    var isAcknowledging = true
    var hasMissedAcknowledgement = false

    // What came of it.
    var eventBudget = EventBudget(perHour: 120)
    var ladder = RecoveryPolicy()
    var nextAttempt: MonotonicInstant?
    var judge: ChannelJudge
    var sampleBudget: SampleBudget
    var isResetWanted = false  // Stuck in live mode: rest and wake, once.
    var measurementCount = 0
    var rejectedCount = 0
    /// What was wrong with the last thing said that was not to be believed, in words.
    var lastFlaw: String?
    var lastMeasurementAt: MonotonicInstant?
    /// Since the last success: has anything come, and was any of it to be understood.
    var heardSinceSuccess = (anything: false, good: false, bad: false)
    var accountedUntil = MonotonicInstant.boot
    /// Whether `accountedUntil` is of this stay in live mode.
    var isAccounting = false

    /// A driver that has not touched the port yet.
    package init(_ setup: SensorSetup, speaking dialect: any SensorDialect) {
        self.setup = setup
        self.dialect = dialect
        port = setup.port
        clock = setup.environment.clock
        sink = setup.environment.sink
        heartbeat = setup.environment.heartbeat
        let quantities = dialect.quantities
        let shown = setup.profile.shown(of: quantities)
        self.shown = shown
        channels = shown.map { Channel(device: setup.name, quantity: quantities[$0]) }
        interval =
            switch dialect.rhythm {
            case .streams(let every): every
            case .answers(let least): max(least, setup.profile.duty?.liveInterval ?? .seconds(1))
            }
        canRest = !dialect.commands(for: .rest).isEmpty
        sampleBudget = SampleBudget(fastest: dialect.fastest)
        judge = ChannelJudge(dialect.quantities, by: setup.profile.channels)
        requested = Mutex(RequestedMode(setup.mode))
    }

    /// Runs until asked to stop or cancelled.
    ///
    /// - Throws: `SerialError.disconnected` when the port is gone; a fresh driver follows a fresh
    ///   port.
    package func run() async throws {
        defer { leaveAtRest() }
        while !Task.isCancelled, !isStopping {
            judge.restart()
            switch mode {
            case .dutyCycle(let cycle): try await runDutyCycle(cycle)
            case .live: try await runLive()
            }
        }
        if isStopping, !Task.isCancelled { try await rest() }
    }

    nonisolated package func requestStop() {
        stopRequested.store(true, ordering: .sequentiallyConsistent)
        change.raise()
        stop.raise()
    }

    nonisolated var mode: SensorMode { requested.withLock { $0.mode } }
    /// When the mode was last changed; nil before that.
    nonisolated var modeSince: MonotonicInstant? { requested.withLock { $0.since } }

    nonisolated package func setMode(_ mode: SensorMode) {
        let now = clock.now
        if requested.withLock({ $0.change(to: mode, at: now) }) { change.raise() }
    }

    package var report: SensorReport {
        let state: String
        if ladder.failingSince != nil {
            state = "faulty"
        } else {
            state =
                switch isAwake {
                case true?: "measuring"
                case false?: "asleep"
                case nil: lastMeasurementAt == nil ? "starting" : "measuring"
                }
        }
        let awake = awakeBefore + (awakeSince.map { $0.duration(to: clock.now) } ?? .zero)
        var facts = [Event.Detail("id", knownID ?? "unknown")] + facts
        facts += [
            Event.Detail("awake", "\(Int(awake.inSeconds)) s"),
            Event.Detail("measurements", "\(measurementCount)"),
            Event.Detail("rejected", "\(rejectedCount)"),
        ]
        if sampleBudget.surplusCount > 0 {
            facts.append(Event.Detail("left out", "\(sampleBudget.surplusCount)"))
        }
        if let lastFlaw { facts.append(Event.Detail("last rejected", lastFlaw)) }
        if let remedy = ladder.remedy { facts.append(Event.Detail("remedy", remedy.rawValue)) }
        if !isAcknowledging { facts.append(Event.Detail("acknowledges", "no")) }
        if !judge.findings.isEmpty {
            let names = judge.findings.map(\.description).joined(separator: ", ")
            facts.append(Event.Detail("doubts", names))
        }
        return SensorReport(state: state, facts: facts, lastMeasurementAt: lastMeasurementAt)
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
    private func leaveAtRest() {
        if isAwake != false {
            for command in dialect.commands(for: .rest) { try? port.write(command.bytes) }
        }
        noteAwake(false)
        port.close()
    }
}
