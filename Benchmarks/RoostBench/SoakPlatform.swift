import Core
import Glibc
import HardwareIO
import LinuxIO
import SimulationKit
import Station
import Store

/// A simulated machine whose card is real: the journal's file, the history, and `/run`'s mirror.
struct SoakPlatform: Platform {
    let base: SimulatedPlatform
    let folder: String

    var clock: any NodeClock { base.clock }
    var fetcher: any HTTPFetcher { base.fetcher }
    var boardModel: String? { nil }

    var figures: ProcessCosts {
        let (now, simulated) = (ProcessFigures.now(), base.figures)
        var costs = simulated
        costs.cpuTime = .milliseconds(now.cpuMilliseconds)
        costs.residentKiB = now.residentKibibytes
        costs.privateKiB = now.privateKibibytes ?? now.residentKibibytes
        costs.cardByteCount = now.writtenByteCount
        costs.cardSyncCount = now.syncCount
        costs.descriptorCount = Self.entryCount("/proc/self/fd") - 1  // The folder itself.
        costs.threadCount = Self.entryCount("/proc/self/task")
        return costs
    }

    func openSerialPort(
        _ path: String,
        _ settings: SerialSettings
    ) async throws -> any SerialPort {
        try await base.openSerialPort(path, settings)
    }

    func waitForPath(_ path: String) async throws { try await base.waitForPath(path) }

    func requestLines(_ request: LineRequest) async throws -> any GPIOLines {
        try await base.requestLines(request)
    }

    func openLetters(_ path: String) async throws -> any LetterOutput {
        try await base.openLetters(path)
    }

    func hotplugMonitor() async throws -> any HotplugMonitor { try await base.hotplugMonitor() }

    func openWatchdog(path: String, timeout: Duration) async throws -> any WatchdogDevice {
        try await base.openWatchdog(path: path, timeout: timeout)
    }

    func listen(_ path: String) async throws -> any LineListener { try await base.listen(path) }

    func onDisk<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await base.onDisk(body)
    }

    func openJournal(
        _ path: String,
        blockSize: Int,
        blockCount: Int
    ) throws -> any BlockStorage {
        try FileBlockStorage(path: path, blockSize: blockSize, blockCount: blockCount)
    }

    func files(in folder: String) -> any FolderFiles { SimulatedFolder() }

    func claimStore(_ folder: String) throws -> any StoreClaim {
        mkdir(folder, 0o755)
        return SimulatedStoreClaim(folder)
    }

    func openMirror(
        of store: StoreID,
        byteCount: Int
    ) throws(MirrorError) -> any SharedMemory {
        do {
            return try SharedMemoryFile(path: "\(folder)/\(store).tail", byteCount: byteCount)
        } catch {
            throw MirrorError("\(error)")
        }
    }

    func holder(of path: String) -> String? { nil }
    var resetProblem: ResetError? { base.resetProblem }
    func requestReset() throws(ResetError) { try base.requestReset() }
    func requestPowerOff() throws(PowerOffError) { try base.requestPowerOff() }
    func notify(_ state: ServiceState) { base.notify(state) }

    /// How many entries a folder has, `.` and `..` apart.
    private static func entryCount(_ path: String) -> Int {
        guard let directory = opendir(path) else { return 0 }
        defer { closedir(directory) }
        var count = 0
        while readdir(directory) != nil { count += 1 }
        return max(0, count - 2)
    }
}
