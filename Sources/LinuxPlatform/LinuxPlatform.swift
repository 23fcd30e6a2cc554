import Core
import FileIO
import Glibc
import HardwareIO
import LinuxIO
import Station
import StoreQueries
import Synchronization

/// The machine a node really runs on.
package final class LinuxPlatform: Platform {
    private let loop: EventLoop
    private let disk: DiskThread
    private let paths: PathWatcher
    private let facts = MachineFacts.read()
    private let startedAt: MonotonicInstant
    private let adapters: String?
    package let buses: any I2CBuses
    /// Claimed stores by folder; bound: the stores that a process ever opens, which is one.
    private let claims = Mutex<[String: WeakClaim]>([:])
    /// Folder with the mirrors of all stores; outlives the service, not the boot.
    private static let mirrorFolder = "/run/roost"
    /// Time between two looks for a part on a bus that is not there.
    private static let busPause: Duration = .seconds(10)
    /// How long an opening waits for an earlier reading of the same part.
    private static let busPatience: Duration = .seconds(3)
    package let notifier = ServiceNotifier()
    package let fetcher: any HTTPFetcher

    /// A platform on one loop; starts the disk thread.
    ///
    /// - Parameters:
    ///   - loop: Where everything is waited for.
    ///   - standIns: What a test bench has in place of the machine; see `AdapterFile`.
    package init(on loop: EventLoop, _ standIns: StandIns = StandIns()) throws(LinuxError) {
        self.loop = loop
        adapters = standIns.adapters
        buses = LinuxI2C(root: standIns.buses)
        disk = try DiskThread()
        paths = PathWatcher(on: loop)
        fetcher = LinuxHTTP(on: loop)
        startedAt = loop.clock.now
    }

    package var clock: any NodeClock { loop.clock }
    package var boardModel: String? { facts.model }

    package func openSerialPort(
        _ path: String,
        _ settings: SerialSettings
    ) async throws -> any SerialPort {
        if let place = BusPlace(path) {
            let clock = clock
            // A reading, or the rest of a part, may be under way a moment longer.
            let end = clock.now.advanced(by: Self.busPatience)
            while BusPort.isHanging(path), clock.now < end {
                let soon = clock.now.advanced(by: .milliseconds(200))
                _ = try await clock.wait(for: Signal(), until: soon, tolerance: .zero)
            }
            return try await disk.run { try BusPort(place, path: path, clock: clock) }
        }
        guard let address = GPSDAddress(path) else {
            return try await LinuxSerialPort.open(
                path: path,
                settings: settings,
                on: loop,
                disk: disk
            )
        }
        return try await LinuxSerialPort.open(address, path: path, on: loop)
    }

    package func poweredAt(_ path: String) async throws -> MonotonicInstant? {
        let now = clock.now
        return try await disk.run { PortPower.since(path, now: now) }
    }

    package func waitForPath(_ path: String) async throws {
        // Whether a gpsd is there again shows the next connection alone.
        guard GPSDAddress(path) == nil else { return }
        guard let place = BusPlace(path) else { return try await paths.waitForPath(path) }
        // sysfs reports no new folder, and an address has no file at all.
        while case .folder(let folder) = place, access(folder, F_OK) != 0 {
            _ = try await clock.wait(
                for: Signal(),
                until: clock.now.advanced(by: Self.busPause),
                tolerance: Self.busPause / 2
            )
        }
    }

    package func requestLines(_ request: LineRequest) async throws -> any GPIOLines {
        try LinuxGPIO.requestLines(request, on: loop)
    }

    package func gpioChips() -> [GPIOChipReport] { LinuxGPIO.chips() }

    package func onBus<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        // A thread of its own: what hangs on a bus stays behind on it.
        try await DiskThread(name: "bus").run(body)
    }

    package func openLetters(_ path: String) async throws -> any LetterOutput {
        try await disk.run { try LetterFile(path) }
    }

    package func hotplugMonitor() async throws -> any HotplugMonitor {
        if let adapters { return try AdapterFile(adapters, on: loop) }
        return try UdevMonitor(
            subsystems: ["tty"] + HotplugDevice.sensorSubsystems,
            on: loop,
            disk: disk
        )
    }

    package func openWatchdog(
        path: String,
        timeout: Duration
    ) async throws -> any WatchdogDevice {
        try await disk.run { try LinuxWatchdog(path: path, timeout: timeout) }
    }

    package func listen(_ path: String) async throws -> any LineListener {
        try LocalSocketListener(path: path, on: loop)
    }

    package func onDisk<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await disk.run(body)
    }

    package func openJournal(
        _ path: String,
        blockSize: Int,
        blockCount: Int
    ) throws -> any BlockStorage {
        try FileBlockStorage(path: path, blockSize: blockSize, blockCount: blockCount)
    }

    package func journalPartition(for folder: String) throws(StorageError) -> String? {
        try JournalPartitionFinder().partition(for: folder)
    }

    package func files(in folder: String) -> any FolderFiles { LinuxFolder(folder) }

    package func mayNameActor(_ peer: PeerCredentials) -> Bool { GroupRight().admits(peer) }

    package func arrivingFile(in folder: String) -> any ArrivingFile {
        CardArrivingFile(in: folder)
    }

    package func claimStore(_ folder: String) throws -> any StoreClaim {
        makeFolder(folder)
        return try claims.withLock { claims in
            // A store that is opened anew while its keeper before is not gone shares the lock.
            if let claim = claims[folder]?.claim, claim.isStillOf(folder) { return claim }
            let claim = LinuxStoreClaim(lock: try FolderLock(path: folder))
            claims[folder] = WeakClaim(claim: claim)
            // What was arriving when the station ended does not go on.
            CardArrivingFile(in: folder).remove()
            return claim
        }
    }

    package func openMirror(
        of store: StoreID,
        byteCount: Int
    ) throws(MirrorError) -> any SharedMemory {
        makeFolder(Self.mirrorFolder)
        let path = Self.mirrorPath(store)
        let memory: SharedMemoryFile
        do { memory = try SharedMemoryFile(path: path, byteCount: byteCount) } catch {
            throw MirrorError("\(error)")
        }
        guard memory.isInMemory else {
            unlink(path)
            throw MirrorError("\(Self.mirrorFolder) is not in memory; mount a tmpfs at /run")
        }
        return memory
    }

    /// Refuses when another process has the mirror of this store.
    ///
    /// - Throws: `StorageError.held`.
    func demandMirror(of store: StoreID) throws {
        try FolderLock.demandFree(Self.mirrorPath(store))
    }

    private static func mirrorPath(_ store: StoreID) -> String { "\(mirrorFolder)/\(store).tail" }

    /// Makes a folder and those above it, as far as that is allowed.
    private func makeFolder(_ path: String) {
        var folder = ""
        for part in path.split(separator: "/") {
            folder += "/\(part)"
            _ = mkdir(folder, 0o755)
        }
    }

    package func holder(of path: String) -> String? { Holders.describe(of: path) }

    package func readVitals() -> MachineVitals { VitalsReader().read() }

    package var resetProblem: ResetError? { ResetRequest().problem }
    package func requestReset() throws(ResetError) { try ResetRequest().write() }

    package func requestPowerOff() throws(PowerOffError) { try PowerOffRequest().write() }

    package func zone(_ name: String?) -> (@Sendable (Int) -> Int)? {
        guard let name else { return Zone.system.offset }
        return Zone(named: name)?.offset
    }

    package var figures: ProcessCosts {
        let now = ProcessFigures.now()
        var costs = ProcessCosts()
        costs.processID = getpid()
        costs.bootID = facts.bootID
        costs.uptime = startedAt.duration(to: loop.clock.now)
        costs.wakeUps = loop.counters.wakeUps
        costs.cpuTime = .milliseconds(now.cpuMilliseconds)
        costs.voluntarySwitches = now.voluntarySwitches
        costs.cardByteCount = now.writtenByteCount
        costs.cardSyncCount = now.syncCount
        costs.residentKiB = now.residentKibibytes
        costs.privateKiB = now.privateKibibytes ?? now.residentKibibytes
        costs.descriptorCount = Self.entryCount("/proc/self/fd")
        costs.threadCount = Self.entryCount("/proc/self/task")
        return costs
    }

    package func notify(_ state: ServiceState) {
        switch state {
        case .ready: notifier.ready()
        case .reloading: notifier.reloading()
        case .stopping: notifier.stopping()
        case .alive: notifier.pet()
        }
    }

    /// How many entries a directory has, `.` and `..` apart; 0 when it cannot be read.
    private static func entryCount(_ path: String) -> Int {
        (try? Files.names(in: path, hidden: true))?.count ?? 0
    }
}

private struct WeakClaim {
    weak var claim: LinuxStoreClaim?
}

/// A store of this machine, kept by the lock on its folder.
private final class LinuxStoreClaim: StoreClaim {
    private let lock: FolderLock

    /// Whether the folder of this name is the one that is locked.
    func isStillOf(_ folder: String) -> Bool { FolderLock.identity(of: folder) == lock.identity }

    init(lock: FolderLock) { self.lock = lock }

    var id: StoreID { StoreID(of: lock.identity) }
}

/// A file, FIFO or terminal that receives lamp letters; letters that it does not accept at once are
/// lost.
final class LetterFile: LetterOutput {
    private let descriptor: Mutex<Int32>

    /// Opens without waiting for a reader.
    init(_ path: String) throws(LetterOutputError) {
        // Reading as well: a FIFO opened for writing alone would wait for its reader.
        let flags = O_RDWR | O_NONBLOCK | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY
        let raw = open(path, flags, 0o644)
        guard raw >= 0 else {
            throw LetterOutputError("\(path): cannot be written, \(LinuxError.text(of: errno))")
        }
        descriptor = Mutex(raw)
    }

    deinit { close() }

    func write(_ letter: UInt8) {
        descriptor.withLock { raw in
            guard raw >= 0 else { return }
            _ = withUnsafePointer(to: letter) { Glibc.write(raw, $0, 1) }
        }
    }

    func close() {
        descriptor.withLock { raw in
            guard raw >= 0 else { return }
            _ = Glibc.close(raw)
            raw = -1
        }
    }
}
