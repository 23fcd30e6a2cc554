import Core
import HardwareIO
import Store

/// The services that a node needs from its machine: Linux, or a simulation with faults.
///
/// Each wait here ends at once when its task is cancelled, even if the card, a device or a name
/// server does not answer: `Child.run()` depends on it.
package protocol Platform: Sendable {
    var clock: any NodeClock { get }

    /// Opens a serial line, or connects to the gpsd that its path names.
    ///
    /// - Throws: `SerialError`; `CancellationError`.
    func openSerialPort(_ path: String, _ settings: SerialSettings) async throws -> any SerialPort

    /// When the device behind a path got its power, as far as the machine knows.
    ///
    /// - Throws: `CancellationError`.
    func poweredAt(_ path: String) async throws -> MonotonicInstant?

    /// Waits until a path exists; returns at once when it does, and for one that names a gpsd.
    ///
    /// - Throws: `CancellationError`, or why it cannot be watched.
    func waitForPath(_ path: String) async throws

    /// Requests GPIO lines.
    ///
    /// - Throws: `GPIOError`; `CancellationError`.
    func requestLines(_ request: LineRequest) async throws -> any GPIOLines

    /// The GPIO chips of the machine with the state of all their lines; only within `onDisk`.
    func gpioChips() -> [GPIOChipReport]

    /// Queries HTTP devices on the local network.
    var fetcher: any HTTPFetcher { get }

    /// The I²C buses of the machine; their calls belong within `onBus`.
    var buses: any I2CBuses { get }

    /// Runs what may hang with a bus, away from the loop and the card.
    ///
    /// Cancelling the caller does not cancel the work; it may never end.
    ///
    /// - Throws: what `body` throws; `CancellationError`.
    func onBus<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value

    /// The model of the machine, such as `Raspberry Pi 4 Model B Rev 1.4`; nil for a machine
    /// without a device tree.
    var boardModel: String? { get }

    /// Writes a letter to a file, FIFO or terminal without ever waiting for its reader.
    ///
    /// - Throws: `LetterOutputError`.
    func openLetters(_ path: String) async throws -> any LetterOutput

    /// Starts to watch devices that come and go.
    ///
    /// - Throws: `HotplugError`.
    func hotplugMonitor() async throws -> any HotplugMonitor

    /// Opens and arms the watchdog.
    ///
    /// - Throws: `WatchdogError`.
    func openWatchdog(path: String, timeout: Duration) async throws -> any WatchdogDevice

    /// Listens on a local socket.
    ///
    /// - Throws: `LocalSocketError`.
    func listen(_ path: String) async throws -> any LineListener

    /// Runs what may block for seconds, one piece at a time, away from the loop.
    ///
    /// Cancelling the caller does not cancel the work: it is done now or when its turn comes.
    ///
    /// - Throws: what `body` throws; `CancellationError`.
    func onDisk<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value

    /// Opens or makes the journal's ring; only within `onDisk`.
    func openJournal(_ path: String, blockSize: Int, blockCount: Int) throws -> any BlockStorage

    /// The partition that `roost store partition` marked on this machine; only within `onDisk`.
    ///
    /// - Parameter folder: The store's, which remembers that there was one.
    /// - Returns: Its device; nil where there is none.
    /// - Throws: `StorageError.absent` when there was one and it is not there now: the blocks that
    ///   wait in it would be lost.
    func journalPartition(for folder: String) throws(StorageError) -> String?

    /// The file system below a history; the real one, except in a simulation.
    var historyTestHooks: HistoryTestHooks { get }

    /// The small files of a folder, such as the settings beside the store; their calls belong
    /// within `onDisk`.
    func files(in folder: String) -> any FolderFiles

    /// The file in a store's folder that arrives for an import.
    func arrivingFile(in folder: String) -> any ArrivingFile

    /// Locks a store's folder for this process; only within `onDisk`.
    ///
    /// Makes the folder and those above it as far as that is allowed.
    ///
    /// - Returns: The lock, held for as long as the value lives.
    /// - Throws: `StorageError`; `.held` names the process that has the store.
    func claimStore(_ folder: String) throws -> any StoreClaim

    /// Opens memory that outlives the process, for one store; only this process uses it.
    func openMirror(of store: StoreID, byteCount: Int) throws(MirrorError) -> any SharedMemory

    /// Whether a peer of the control socket may say for whom it asks: the dashboard, root, this
    /// process' own user and the group `roost`; only within `onDisk`.
    func mayNameActor(_ peer: PeerCredentials) -> Bool

    /// Another process that has a file open, as `name (pid 123)`, as far as that can be seen; only
    /// within `onDisk`.
    func holder(of path: String) -> String?

    /// Reads the state of power supply and card; only within `onDisk`.
    ///
    /// A reading of the voltage's alarm clears it.
    func readVitals() -> MachineVitals

    /// Asks the service manager to shut the machine down in order, which stops this process, too;
    /// only within `onDisk`.
    func requestPowerOff() throws(PowerOffError)

    /// Why nothing on this machine gives the station away when a button asks for it; nil where
    /// something does; only within `onDisk`.
    var resetProblem: ResetError? { get }

    /// Asks the service of an image to give the station away, which restarts the machine; only
    /// within `onDisk`.
    func requestReset() throws(ResetError)

    /// Reads the rules of a zone; only within `onDisk`.
    ///
    /// - Parameter name: As `Europe/Rome`; nil is the machine's.
    /// - Returns: Seconds east of Greenwich at a second since 1970; nil for an unknown zone.
    func zone(_ name: String?) -> (@Sendable (Int) -> Int)?

    /// The costs of the process so far.
    var figures: ProcessCosts { get }

    /// Notifies the parent of the process; does nothing without a listener.
    func notify(_ state: ServiceState)
}

extension Platform {
    package var historyTestHooks: HistoryTestHooks { HistoryTestHooks() }

    package func poweredAt(_ path: String) async throws -> MonotonicInstant? { nil }

    package func arrivingFile(in folder: String) -> any ArrivingFile {
        NoArrivingFile(path: folder)
    }

    package func readVitals() -> MachineVitals { MachineVitals() }

    /// None: most simulated machines have no bus.
    package var buses: any I2CBuses { NoI2CBuses() }

    package func onBus<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await onDisk(body)
    }

    /// None: most simulated machines have no pins.
    package func gpioChips() -> [GPIOChipReport] { [] }

    package func zone(_ name: String?) -> (@Sendable (Int) -> Int)? { { _ in 0 } }

    /// Each: a simulated machine has one user.
    package func mayNameActor(_ peer: PeerCredentials) -> Bool { true }
}

/// A store that no other process writes to; unlocked when the value is released.
package protocol StoreClaim: AnyObject, Sendable {
    var id: StoreID { get }
}

/// Why there is no memory that outlives the process, as a text that names the place.
package struct MirrorError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// Why the machine cannot be shut down, as a text that names the place.
package struct PowerOffError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// Why the station cannot be given away by a button, as a text with the next step.
package struct ResetError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// Receives lamp letters in place of a lamp.
package protocol LetterOutput: Sendable {
    /// Writes one letter, in ASCII.
    func write(_ letter: UInt8)
    func close()
}

/// Why letters cannot be written, as a text that names the path.
package struct LetterOutputError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// Messages to the service manager.
package enum ServiceState: Hashable, Sendable {
    case ready
    case reloading
    case stopping
    /// Everything makes progress.
    case alive
}

/// The costs of a process since its start.
package struct ProcessCosts: Hashable, Sendable {
    package var processID: Int32 = 0
    package var bootID: String?
    package var uptime: Duration = .zero
    package var wakeUps = 0
    package var cpuTime: Duration = .zero
    package var voluntarySwitches = 0
    package var residentKiB = 0
    package var privateKiB = 0
    package var descriptorCount = 0
    package var threadCount = 1
    /// Bytes that went to the card; nil where the platform does not count them.
    package var cardByteCount: Int?
    /// How often something was made durable.
    package var cardSyncCount = 0

    package init() {}
}

extension Platform {
    /// None: simulated machines have a ring, wherever it lies.
    package func journalPartition(for folder: String) throws(StorageError) -> String? { nil }
}

extension Platform {
    /// The kernel's id of this boot; zeros where it gives none.
    ///
    /// Reads all costs of the process from `/proc`: to be called once.
    var bootID: BootID {
        figures.bootID.flatMap(BootID.init) ?? BootID(bytes: Array(repeating: 0, count: 16))
    }
}
