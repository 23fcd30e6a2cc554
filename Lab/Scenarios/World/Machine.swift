import Core
import HardwareIO
import Logging
import PowerCut
import SQLite
import SimulationKit
import Station
import Store

/// The machine during one life of the process: what the node runs on, with everything that fails.
///
/// Once it has ended nothing that the node still does has any effect. Unchecked: one simulation is
/// one thread.
final class Machine: Platform, @unchecked Sendable {
    /// systemd's, as in the unit.
    static let serviceWatchdog: Duration = .seconds(30)
    static let stopTimeout: Duration = .seconds(25)
    /// The board's, on a Pi.
    static let boardWatchdog: Duration = .seconds(15)
    /// Folder in which paths that do not exist are looked for.
    static let virtualFolder = "/card"

    let world: World
    let simulated: SimulatedClock
    let bootClock: BootClock
    let boot: BootID
    let base: SimulatedPlatform
    let usb: SimulatedUSB
    let gpio: SimulatedGPIO
    /// Plugged parts by node.
    var partsByNode: [String: Part] = [:]
    var adapters: [String: SimulatedAdapter] = [:]
    private(set) var ending: LifeEnding?
    private(set) var endedAt = MonotonicInstant.boot
    var isStopping = false
    var isReady = false
    var lastAlive: MonotonicInstant
    var lastPet: MonotonicInstant?
    /// Frames to go until an adapter is torn off, by part.
    var bytesUntilTorn: [String: Int] = [:]
    /// A question over the control socket that is not answered yet.
    var askedAt: MonotonicInstant?
    var lastSeenBlock: UInt64 = 0
    /// People's acts that wait for their task.
    var acts: [Act] = []
    let actSignal = Signal()
    /// Signals of tasks that wait for the card or for ever.
    private var held: [Signal] = []
    /// One piece of work for the disk thread.
    private struct Errand {
        let work: () -> Void
        let done: () -> Void
    }

    private var errands: [Errand] = []
    private var isDiskBusy = false
    /// Real time of the work for the card before the store was open.
    private(set) var openingTime: Duration = .zero
    var isStoreOpen = false
    /// Time since which the history, which knows the devices' names, is open.
    var historyOpenAt: MonotonicInstant?
    private var isSlowDone = false
    let requestStop = Box<@Sendable () -> Void>({})
    let stopReason = Box(LifeEnding.finished)
    /// Readers that hold up the history.
    var readers: [Connection] = []
    /// The program that delivers what the station records; nil where the scenario has none.
    var courier: CourierLives?
    /// The camera's program; nil where the scenario has none.
    var eyes: EyesLives?

    init(_ world: World, on clock: SimulatedClock, boot: BootID, bootedAt: MonotonicInstant) {
        (self.world, simulated, self.boot) = (world, clock, boot)
        bootClock = BootClock(clock, bootedAt: bootedAt) { world.wallReading(at: $0) }
        base = SimulatedPlatform(clock: clock)
        usb = SimulatedUSB(base)
        gpio = SimulatedGPIO(clock: bootClock)
        lastAlive = clock.now
    }

    var now: MonotonicInstant { simulated.now }
    var isDead: Bool { ending != nil }

    /// Ends this life here; the first reason counts.
    func end(_ wanted: LifeEnding) {
        guard ending == nil else { return }
        var reason = wanted
        // The caller sees only that it is gone, and goes on.
        if case .endedItself = wanted, isStopping { reason = .stopTimedOut }
        if reason == .stopTimedOut, lastPet != nil, stopReason.value.beginsBoot {
            reason = .boardWatchdog
        }
        (ending, endedAt) = (reason, now)
        if !reason.isOrderly { world.card.refuse(.broken, from: world.card.triedCount) }
        for signal in held { signal.raise() }
        for errand in errands { errand.done() }
        held = []
        errands = []
    }

    /// Waits until the machine has ended, also when the task is cancelled.
    func holdForEver() async {
        guard !isDead else { return }
        let signal = Signal()
        held.append(signal)
        _ = await signal.park()
    }

    // MARK: Platform

    var clock: any NodeClock { bootClock }
    var fetcher: any HTTPFetcher { WorldFetcher(machine: self) }
    var boardModel: String? { nil }
    var historyTestHooks: HistoryTestHooks { world.historyTestHooks }

    func openSerialPort(
        _ path: String,
        _ settings: SerialSettings
    ) async throws -> any SerialPort {
        guard !isDead else { throw SerialError.absent(path: path) }
        if let part = partsByNode[path] { try refuse(part, path) }
        let port = try await base.openSerialPort(path, settings)
        return WorldPort(port, of: partsByNode[path], path: path, on: self)
    }

    private func refuse(_ part: Part, _ path: String) throws(SerialError) {
        let now = now
        if world.isOpen(.portBusy, part: part.name, at: now) {
            world.fire(.portBusy)
            throw .busy(path: path, holder: "minicom (pid 4711)")
        }
        if world.isOpen(.portForbidden, part: part.name, at: now) {
            world.fire(.portForbidden)
            throw .noPermission(path: path, owner: "root", group: "dialout", mode: "0660")
        }
        if world.isOpen(.portError, part: part.name, at: now) {
            world.fire(.portError)
            throw .system(call: "open", errno: 5, path: path)
        }
    }

    func poweredAt(_ path: String) async throws -> MonotonicInstant? {
        guard world.planted != .alwaysWarm, let plugged = partsByNode[path]?.pluggedAt else {
            return nil
        }
        // A device that was there when the machine started has power since then.
        return max(.boot, bootClock.inBoot(plugged))
    }

    func waitForPath(_ path: String) async throws { try await base.waitForPath(path) }

    func requestLines(_ request: LineRequest) async throws -> any GPIOLines {
        try gpio.requestLines(request)
    }

    func openLetters(_ path: String) async throws -> any LetterOutput {
        try await base.openLetters(path)
    }

    func hotplugMonitor() async throws -> any HotplugMonitor { base.hotplug }

    func openWatchdog(path: String, timeout: Duration) async throws -> any WatchdogDevice {
        lastPet = now
        return BoardWatchdog(machine: self)
    }

    func listen(_ path: String) async throws -> any LineListener { base.socket }

    func readVitals() -> MachineVitals {
        var vitals = MachineVitals(supplies: world.supplies(at: now))
        vitals.canPowerOff = true
        return vitals
    }

    var resetProblem: ResetError? { ResetError("this is no image") }
    func requestReset() throws(ResetError) { throw ResetError("this is no image") }
    func requestPowerOff() throws(PowerOffError) {
        world.plan(at: now) { $0.stop(.poweredOff) }
    }

    func files(in folder: String) -> any FolderFiles { MachineFolder(machine: self) }

    /// The card's files lie in another folder after each end of a process; the store is the same.
    func claimStore(_ folder: String) throws -> any StoreClaim {
        SimulatedStoreClaim(Self.virtualFolder)
    }

    func holder(of path: String) -> String? {
        world.isOpen(.longReader, at: now) ? "sqlite3 (pid 4711)" : nil
    }

    var figures: ProcessCosts {
        var costs = ProcessCosts()
        costs.bootID = "\(boot)"
        costs.uptime = MonotonicInstant.boot.duration(to: bootClock.now)
        costs.wakeUps = simulated.wakeUps
        return costs
    }

    func notify(_ state: ServiceState) {
        guard !isDead else { return }
        switch state {
        case .ready: isReady = true
        case .alive: lastAlive = now
        case .reloading, .stopping: break
        }
    }

    func openMirror(
        of store: StoreID,
        byteCount: Int
    ) throws(MirrorError) -> any SharedMemory {
        if world.meets(.mirrorRefused, at: now) {
            world.fire(.mirrorRefused)
            throw MirrorError("/run/roost: no space left")
        }
        if world.mirror.count != byteCount {
            world.mirror = [UInt8](repeating: 0, count: byteCount)
        }
        return Mirror(machine: self)
    }

    func openJournal(_ path: String, blockSize: Int, blockCount: Int) throws -> any BlockStorage {
        let number = world.records.segments.count - 1
        if world.planted == .refusesToStart, number > 0 { throw StorageError.absent(path: path) }
        let extra = world.planted == .growingFile ? number : 0
        let storage = try PowerCutBlockStorage(
            path: path,
            blockSize: blockSize,
            blockCount: blockCount + extra
        )
        return WornStorage(storage, of: self)
    }

    // MARK: The disk thread

    func onDisk<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        let (result, done) = (Box<Result<Value, any Error>?>(nil), Signal())
        errands.append(
            Errand(work: { result.value = Result { try body() } }, done: { done.raise() })
        )
        workOff()
        _ = try await simulated.wait(for: done, until: nil, tolerance: .zero)
        guard let found = result.value, !isDead else { throw CancellationError() }
        return try found.get()
    }

    /// Does the work that waits for the card, as far as the card allows.
    private func workOff() {
        while !isDead, !errands.isEmpty, let pause = pauseOfCard() {
            if pause > .zero {
                isDiskBusy = true
                return world.plan(at: now.advanced(by: pause)) { [weak self] machine in
                    guard machine === self else { return }
                    machine.isDiskBusy = false
                    machine.isSlowDone = true
                    machine.workOff()
                }
            }
            isSlowDone = false
            let errand = errands.removeFirst()
            let began = isStoreOpen ? nil : world.stopwatch?()
            errand.work()
            if let began, let ended = world.stopwatch?() {
                openingTime += began.duration(to: ended)
            }
            world.card.settle()
            meetArmedCut()
            errand.done()
        }
    }

    /// How long the card waits before it does anything; nil: an operation waits for that already.
    private func pauseOfCard() -> Duration? {
        guard !isDiskBusy else { return nil }
        for kind in [FaultKind.cardLongStall, .cardStall] where world.meets(kind, at: now) {
            let end = world.end(of: kind) ?? now
            world.stalledUntil = max(world.stalledUntil, end)
        }
        if world.stalledUntil > now {
            let open = [FaultKind.cardStall, .cardLongStall, .diskHang].first {
                world.isOpen($0, at: now)
            }
            world.fire(open ?? .cardStall)
            return now.duration(to: world.stalledUntil)
        }
        guard world.isOpen(.cardSlow, at: now), !isSlowDone else { return .zero }
        world.fire(.cardSlow)
        return .milliseconds(300)
    }

    private func meetArmedCut() {
        guard let armed = world.cutArmed, world.card.triedCount > cutAt else { return }
        world.cutArmed = nil
        world.fire(armed.again ? .doublePowerCut : .powerCutAtWrite)
        end(.powerCut)
    }

    /// The operation of this folder before which the power goes.
    private var cutAt = Int.max

    /// Lets the power go after so many more operations on the card.
    func armCut(after count: Int, _ model: CardModel, again: Bool) {
        world.cutArmed = (model, again)
        cutAt = world.card.triedCount + count
        world.card.refuse(.broken, from: cutAt)
    }
}

/// Something that is set later.
final class Box<Value>: @unchecked Sendable {
    var value: Value

    init(_ value: Value) { self.value = value }
}

/// The board's hardware watchdog.
private struct BoardWatchdog: WatchdogDevice {
    let machine: Machine

    var timeout: Duration { Machine.boardWatchdog }
    var causedLastBoot: Bool { machine.world.records.segments.last?.ending == .boardWatchdog }

    func pet() throws(WatchdogError) { if !machine.isDead { machine.lastPet = machine.now } }
    func disarm() { if !machine.isDead { machine.lastPet = nil } }
}

/// Memory that outlives the process, in the world.
private final class Mirror: SharedMemory {
    private let machine: Machine

    init(machine: Machine) { self.machine = machine }

    var byteCount: Int { machine.world.mirror.count }

    func read(_ range: Range<Int>) -> [UInt8] { Array(machine.world.mirror[range]) }

    func write(_ bytes: [UInt8], at offset: Int) {
        guard !machine.isDead else { return }
        machine.world.mirror.replaceSubrange(offset..<offset + bytes.count, with: bytes)
    }
}
