import Core
import HardwareIO
import Station
import Synchronization

/// A serial line that a simulated machine can open again and again.
package protocol SimulatedLine: SerialPort {
    /// The line anew, plugged in.
    func opened() -> any SerialPort
}

extension SimulatedSerialPort: SimulatedLine {
    package func opened() -> any SerialPort { reopen() }
}

/// A machine in memory: ports that are plugged and unplugged, pins, a watchdog, a socket.
///
/// Everything happens on its clock, so a node on it is the same for the same seed.
package final class SimulatedPlatform: Platform {
    private struct State {
        var lines: [String: any SimulatedLine] = [:]
        var adapters: [String: SimulatedAdapter] = [:]
        var powered: [String: MonotonicInstant] = [:]
        var errors: [String: SerialError] = [:]
        var arrivals: [Signal] = []
        var letters = ""
        var notifications: [ServiceState] = []
        var openCount = 0
        var journalError: StorageError?
        var boardModel: String?
        var boot: BootID?
        var hasMirror = true
        var isHanging = false
        var figuresCount = 0
        var memory = SimulatedMemory()
        var vitals = MachineVitals()
        var vitalsCount = 0
        var powerOffCount = 0
        var powerOffError: PowerOffError?
        var resetCount = 0
        var resetError: ResetError?
        var unknownZones: Set<String> = []
    }

    let simulatedClock: SimulatedClock
    package let gpio: SimulatedGPIO
    package let watchdog = SimulatedWatchdog()
    package let hotplug: SimulatedHotplug
    package let socket: SimulatedListener
    package let network: SimulatedNetwork
    /// The buses of the header; none unless a test adds one.
    package let i2c = SimulatedI2C()
    /// The journal's ring; the history is a real file.
    package let card: SimulatedCard
    /// What arrives for an import.
    let arrival = SimulatedArrivingFile()
    private let state = Mutex(State())

    package init(clock: SimulatedClock, card: SimulatedCard = SimulatedCard()) {
        simulatedClock = clock
        self.card = card
        gpio = SimulatedGPIO(clock: clock)
        hotplug = SimulatedHotplug(clock: clock)
        socket = SimulatedListener(clock: clock)
        network = SimulatedNetwork(clock: clock)
    }

    // MARK: What can be done to it

    /// Zones that the machine does not know.
    var unknownZones: Set<String> {
        get { state.withLock { $0.unknownZones } }
        set { state.withLock { $0.unknownZones = newValue } }
    }

    package func zone(_ name: String?) -> (@Sendable (Int) -> Int)? {
        if let name, unknownZones.contains(name) { return nil }
        return { _ in 0 }
    }

    /// State in memory that several processes of one machine share.
    package var memory: SimulatedMemory {
        get { state.withLock { $0.memory } }
        set { state.withLock { $0.memory = newValue } }
    }

    /// Plugs a line in, new or known.
    package func plug(_ line: any SimulatedLine, at path: String) {
        let waiting = state.withLock { state in
            state.lines[path] = line
            state.powered[path] = simulatedClock.now
            state.errors[path] = nil
            defer { state.arrivals.removeAll() }
            return state.arrivals
        }
        for signal in waiting { signal.raise() }
    }

    /// Puts an adapter behind a node; nil removes it.
    package func put(_ adapter: SimulatedAdapter?, at path: String) {
        state.withLock { state in
            state.adapters[path] = adapter
            state.powered[path] = simulatedClock.now
        }
    }

    /// Removes a path; the caller unplugs the line itself.
    package func removePath(_ path: String) { state.withLock { $0.lines[path] = nil } }

    /// Makes every opening of a path fail.
    package func refuse(_ path: String, with error: SerialError?) {
        state.withLock { $0.errors[path] = error }
    }

    /// Makes every opening of the journal fail; nil lets it succeed again.
    func refuseJournal(with error: StorageError?) {
        state.withLock { $0.journalError = error }
    }

    /// Lets everything that runs on the disk thread hang for ever from now on.
    package func hang() { state.withLock { $0.isHanging = true } }

    /// Waits for ever while the disk hangs; a task that is cancelled leaves.
    private func visitDisk() async throws {
        guard state.withLock({ $0.isHanging }) else { return }
        _ = try await clock.wait(for: Signal(), until: nil, tolerance: .zero)
    }

    /// The letters written in place of a lamp.
    package var letters: String { state.withLock { $0.letters } }
    var notifications: [ServiceState] { state.withLock { $0.notifications } }
    /// How often a port was opened or tried.
    var openCount: Int { state.withLock { $0.openCount } }

    // MARK: Platform

    package var clock: any NodeClock { simulatedClock }
    package var fetcher: any HTTPFetcher { network }
    package var boardModel: String? {
        get { state.withLock { $0.boardModel } }
        set { state.withLock { $0.boardModel = newValue } }
    }

    /// The kernel's id of its boot; machines without one share a boot.
    package var boot: BootID? {
        get { state.withLock { $0.boot } }
        set { state.withLock { $0.boot = newValue } }
    }

    /// Figures of the machine's power and card; `vitalsCount` counts how often they were read.
    package var vitals: MachineVitals {
        get { state.withLock { $0.vitals } }
        set { state.withLock { $0.vitals = newValue } }
    }
    var vitalsCount: Int { state.withLock { $0.vitalsCount } }

    package func readVitals() -> MachineVitals {
        state.withLock { state in
            state.vitalsCount += 1
            return state.vitals
        }
    }

    /// How often the machine was asked to shut down, and why it cannot.
    var powerOffCount: Int { state.withLock { $0.powerOffCount } }
    func refusePowerOff(with error: PowerOffError?) {
        state.withLock { $0.powerOffError = error }
    }

    package func requestPowerOff() throws(PowerOffError) {
        let error = state.withLock { state in
            state.powerOffCount += 1
            return state.powerOffError
        }
        if let error { throw error }
    }

    /// How often the station was to be given away, and why it cannot be.
    var resetCount: Int { state.withLock { $0.resetCount } }
    func refuseReset(with error: ResetError?) { state.withLock { $0.resetError = error } }

    package var resetProblem: ResetError? { state.withLock { $0.resetError } }

    package func requestReset() throws(ResetError) {
        let error = state.withLock { state in
            state.resetCount += 1
            return state.resetError
        }
        if let error { throw error }
    }

    /// Whether there is memory that outlives the process; new memory at each opening.
    var hasMirror: Bool {
        get { state.withLock { $0.hasMirror } }
        set { state.withLock { $0.hasMirror = newValue } }
    }

    package func openSerialPort(
        _ path: String,
        _ settings: SerialSettings
    ) async throws -> any SerialPort {
        try await visitDisk()
        if let adapter = state.withLock({ $0.errors[path] == nil ? $0.adapters[path] : nil }) {
            return try adapter.open(path, baud: settings.baud)
        }
        let line = try state.withLock { state throws(SerialError) in
            state.openCount += 1
            if let error = state.errors[path] { throw error }
            guard let line = state.lines[path] else { throw .absent(path: path) }
            return line
        }
        return line.opened()
    }

    package func poweredAt(_ path: String) async throws -> MonotonicInstant? {
        state.withLock { $0.powered[path] }
    }

    package func waitForPath(_ path: String) async throws {
        guard GPSDAddress(path) == nil else { return }
        while !Task.isCancelled {
            let arrival = Signal()
            let isThere = state.withLock { state in
                if state.lines[path] != nil { return true }
                state.arrivals.append(arrival)
                return false
            }
            if isThere { return }
            _ = try await clock.wait(for: arrival, until: nil, tolerance: .zero)
        }
        throw CancellationError()
    }

    package func requestLines(_ request: LineRequest) async throws -> any GPIOLines {
        try gpio.requestLines(request)
    }

    package var buses: any I2CBuses { i2c }

    package func gpioChips() -> [GPIOChipReport] { gpio.chips }

    package func openLetters(_ path: String) async throws -> any LetterOutput {
        try await visitDisk()
        return Letters(platform: self)
    }

    package func hotplugMonitor() async throws -> any HotplugMonitor {
        try await visitDisk()
        return hotplug
    }

    package func openWatchdog(
        path: String,
        timeout: Duration
    ) async throws -> any WatchdogDevice {
        watchdog
    }

    package func listen(_ path: String) async throws -> any LineListener { socket }

    package func onDisk<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await visitDisk()
        return try body()
    }

    package func openJournal(
        _ path: String,
        blockSize: Int,
        blockCount: Int
    ) throws -> any BlockStorage {
        if let error = state.withLock({ $0.journalError }) { throw error }
        return card.journal(blockSize: blockSize, blockCount: blockCount)
    }

    package func files(in folder: String) -> any FolderFiles { card.folder }

    package func arrivingFile(in folder: String) -> any ArrivingFile { arrival }

    package func claimStore(_ folder: String) throws -> any StoreClaim {
        try memory.claim(folder, by: self)
    }

    /// Whether the station holds the store in this folder: then its card cannot be unmounted.
    func isStoreClaimed(_ folder: String) -> Bool { memory.isClaimed(folder) }

    package func openMirror(
        of store: StoreID,
        byteCount: Int
    ) throws(MirrorError) -> any SharedMemory {
        guard hasMirror else { throw MirrorError("/run/roost: no permission") }
        return memory.open("\(store).tail", byteCount: byteCount)
    }

    package func holder(of path: String) -> String? { nil }

    /// How often it was asked what the process costs.
    var figuresCount: Int { state.withLock { $0.figuresCount } }

    package var figures: ProcessCosts {
        state.withLock { $0.figuresCount += 1 }
        var costs = ProcessCosts()
        costs.bootID = boot.map { "\($0)" }
        costs.uptime = MonotonicInstant.boot.duration(to: simulatedClock.now)
        costs.wakeUps = simulatedClock.wakeUps
        costs.cardByteCount = card.storage?.byteCount ?? 0
        costs.cardSyncCount = card.storage?.syncCount ?? 0
        return costs
    }

    package func notify(_ next: ServiceState) {
        state.withLock { state in
            // Signs of life are too many to keep.
            if next != .alive { state.notifications.append(next) }
        }
    }

    private struct Letters: LetterOutput {
        let platform: SimulatedPlatform

        func write(_ letter: UInt8) {
            platform.state.withLock { $0.letters.append(Character(UnicodeScalar(letter))) }
        }

        func close() {}
    }
}

/// A watchdog that counts instead of resetting.
package final class SimulatedWatchdog: WatchdogDevice {
    private let state = Mutex((pets: 0, isArmed: true))

    package init() {}

    package var timeout: Duration { .seconds(15) }
    package var causedLastBoot: Bool { false }
    var petCount: Int { state.withLock { $0.pets } }
    var isArmed: Bool { state.withLock { $0.isArmed } }
    package func pet() throws(WatchdogError) { state.withLock { $0.pets += 1 } }
    package func disarm() { state.withLock { $0.isArmed = false } }
}

/// A hotplug monitor that reports scripted events.
package final class SimulatedHotplug: HotplugMonitor {
    private let clock: any NodeClock
    private let queue = Mutex<[HotplugEvent]>([.snapshot([])])
    private let arrival = Signal()

    package init(clock: any NodeClock) { self.clock = clock }

    package func send(_ events: [HotplugEvent]) {
        queue.withLock { $0 += events }
        arrival.raise()
    }

    package func next() async throws -> [HotplugEvent] {
        while true {
            let events = queue.withLock { queue in
                defer { queue.removeAll() }
                return queue
            }
            if !events.isEmpty { return events }
            _ = try await clock.wait(for: arrival, until: nil, tolerance: .zero)
        }
    }

    package func close() {}
}

/// A card's journal and settings that outlive the node on it.
///
/// Unchecked: one simulation is one thread.
package final class SimulatedCard: @unchecked Sendable {
    package private(set) var storage: SimulatedBlockStorage?
    /// Folder of the settings, beside the store.
    package let folder = SimulatedFolder()

    package init() {}

    func journal(blockSize: Int, blockCount: Int) -> SimulatedBlockStorage {
        let journal =
            storage ?? SimulatedBlockStorage(blockSize: blockSize, blockCount: blockCount)
        storage = journal
        return journal
    }
}
