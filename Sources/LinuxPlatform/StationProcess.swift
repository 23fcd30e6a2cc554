import Configuration
import ControlProtocol
import Core
import Glibc
import HardwareIO
import LinuxIO
import Logging
import Profiles
import Station
import Synchronization

/// Another process has the socket, the store or its mirror.
package struct InstanceRefused: Error, CustomStringConvertible {
    package let description: String
}

/// A station as a process: its lock, its signals, its end.
package struct StationProcess: Sendable {
    /// Limit of an orderly stop; tasks that still run then end with the process.
    ///
    /// A sensor that says nothing takes up to 9 s, a card that does not answer 9 s after that.
    package static let stopLimit: Duration = .seconds(20)
    /// Time for which the start waits for the card to show whether another process has the store.
    private static let claimPatience: Duration = .seconds(5)

    private let files: StationFiles
    private let configuration: StationConfiguration
    /// The owner's settings at the start.
    private let stored: OverlayFile.Stored
    /// Profiles that detection uses; changed files are read only at the next start of the process.
    private let catalog: ProfileCatalog
    private let logger: Logger
    private let standIns: StandIns
    private let start: @Sendable () -> StartFindings
    private let examine: (@Sendable () -> FindingsReport)?

    /// A process that has not started.
    ///
    /// - Parameters:
    ///   - standIns: What a test bench has in place of the machine.
    ///   - start: Returns problems found at the start of the image; called again at `SIGHUP`.
    ///   - examine: Examines the machine, on the disk thread; nil leaves that out.
    package init(
        _ files: StationFiles,
        _ contents: StationFiles.Contents,
        logger: Logger,
        standIns: StandIns = StandIns(),
        start: @escaping @Sendable () -> StartFindings = { StartFindings() },
        examine: (@Sendable () -> FindingsReport)? = nil
    ) {
        (self.files, self.logger, self.standIns) = (files, logger, standIns)
        (self.start, self.examine) = (start, examine)
        (configuration, catalog) = (contents.configuration, contents.catalog)
        stored = contents.stored()
        Self.log(contents, logger)
    }

    /// Runs until `SIGTERM`, `SIGINT`, or until `isOver` ends.
    ///
    /// - Parameters:
    ///   - wrap: Puts another platform around the real one, for a demonstration.
    ///   - isOver: Ends when the station is to stop; nil leaves it to signals.
    /// - Throws: `InstanceRefused`; what ended the station.
    package func run(
        on wrap: @escaping @Sendable (LinuxPlatform, EventLoop) -> any Platform = { platform, _ in
            platform
        },
        until isOver: (@Sendable (EventLoop) async throws -> Void)? = nil
    ) throws {
        SignalMonitor.block()
        let lock = try takeLock()
        defer { lock.release() }
        let loop = try EventLoop()
        try demandSocket(on: loop)
        let signals = try SignalMonitor(on: loop)
        let linux = try LinuxPlatform(on: loop, standIns)
        let logger = logger
        var dependencies = StationDependencies(
            platform: wrap(linux, loop),
            logger: logger,
            seed: UInt64(bitPattern: loop.clock.now.nanoseconds),
            serviceWatchdog: linux.notifier.watchdogTimeout,
            catalog: catalog,
            endProcess: { reason in
                logger.critical("ending the process", metadata: ["reason": "\(reason)"])
                _exit(70)
            }
        )
        dependencies.examination = examine.map { ControlExamination($0) }
        dependencies.rights = ControlRights(.ofSystem, group: getegid())
        dependencies.start = start()
        let station = Station(configuration, stored: stored, in: dependencies)
        try loop.run {
            try await demandStore(linux, loop)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await follow(signals, station, linux, loop) }
                if let isOver {
                    group.addTask {
                        try await isOver(loop)
                        try await stop(station, loop)
                    }
                }
                defer { group.cancelAll() }
                try await station.run()
            }
        }
    }

    private func follow(
        _ signals: SignalMonitor,
        _ station: Station,
        _ linux: LinuxPlatform,
        _ loop: EventLoop
    ) async throws {
        let reloads = ReloadCount()
        try await withThrowingDiscardingTaskGroup { group in
            while !Task.isCancelled {
                switch try await signals.next() {
                case SIGHUP:
                    // A card that stalls must not keep the next signal from being heard.
                    guard reloads.begin() else { continue }
                    group.addTask {
                        await reload(station, linux, reloads)
                    }
                default: return try await stop(station, loop)
                }
            }
        }
    }

    /// Stops in order, and ends the process when that takes too long.
    private func stop(_ station: Station, _ loop: EventLoop) async throws {
        logger.notice("stopping")
        station.requestStop()
        try await loop.clock.sleep(for: Self.stopLimit)
        logger.critical("did not stop in time", metadata: ["limit": "\(Self.stopLimit)"])
        _exit(70)
    }

    /// Reads the files on the disk thread and applies them to the station.
    private func reload(
        _ station: Station,
        _ linux: LinuxPlatform,
        _ reloads: ReloadCount
    ) async {
        let (files, start) = (files, start)
        let answer = try? await linux.onDisk {
            reloads.isReading()
            return (Result { () throws(ConfigurationError) in try files.read() }, start())
        }
        guard let (read, findings) = answer else { return }  // The station stops.
        station.context.faults.set(findings)
        do throws(ConfigurationError) {
            let contents = try read.get()
            Self.log(contents, logger)
            station.reload(contents.configuration, catalog: contents.catalog)
        } catch {
            // The station goes on as it was.
            station.context.faults.reject(error)
            for problem in error.problems {
                logger.error(
                    "configuration not applied",
                    metadata: ["problem": "\(error.file): \(problem)"]
                )
            }
        }
    }

    /// Names a missing configuration, profiles left out, and those that replace another.
    private static func log(_ contents: StationFiles.Contents, _ logger: Logger) {
        if let note = contents.note {
            logger.notice("no configuration", metadata: ["note": "\(note)"])
        }
        for error in contents.catalog.problems {
            for problem in error.problems {
                logger.warning(
                    "profile left out",
                    metadata: ["problem": "\(error.file): \(problem)"]
                )
            }
        }
        for note in contents.catalog.notes {
            logger.notice("profile replaced", metadata: ["note": "\(note)"])
        }
    }

    /// Fails if another station listens on the socket.
    private func demandSocket(on loop: EventLoop) throws {
        guard let other = try? LocalSocket.connect(path: configuration.socket, on: loop) else {
            return
        }
        let process = other.peer.map { Holders.describe($0.processID) } ?? "another process"
        other.close()
        throw InstanceRefused(
            description: "\(configuration.socket): \(process) has this socket and answers; "
                + "stop that process, or name another `socket`"
        )
    }

    /// Locks the socket before the station listens there.
    private func takeLock() throws -> InstanceLock {
        let socket = configuration.socket
        let directory = socket.split(separator: "/", omittingEmptySubsequences: false)
            .dropLast().joined(separator: "/")
        makeFolders(directory)
        let lock = "\(socket).lock"
        do throws(LinuxError) {
            return try InstanceLock(path: lock)
        } catch {
            guard case .held(_, let holder) = error else { throw error }
            throw InstanceRefused(
                description: "\(socket): \(holder ?? "another process") has this socket "
                    + "(lock \(lock)); stop that process, or name another `socket`"
            )
        }
    }

    /// Fails if another station uses the store or its mirror.
    ///
    /// A card that does not answer in `claimPatience` holds up nothing: the station starts, and its
    /// store says who has it when it opens.
    private func demandStore(_ linux: LinuxPlatform, _ loop: EventLoop) async throws {
        guard let store = configuration.store else { return }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await linux.onDisk {
                    // Released at once: the store acquires it again when it opens.
                    let claim = try linux.claimStore(store.folder)
                    try linux.demandMirror(of: claim.id)
                }
            }
            group.addTask { try await loop.clock.sleep(for: Self.claimPatience) }
            defer { group.cancelAll() }
            do {
                try await group.next()
            } catch StorageError.held(let path, let holder) {
                let what = path == store.folder ? "store" : "mirror"
                throw InstanceRefused(
                    description: "\(path): \(holder ?? "another process") has this \(what); "
                        + "stop that process, or name another `store.folder`"
                )
            } catch {
                // A card that is away or refuses: the station says so, and tries again.
            }
        }
    }

    /// Makes a folder and its parents, as far as that is allowed; the lock reports what is not.
    private func makeFolders(_ path: String) {
        var folder = ""
        for part in path.split(separator: "/") {
            folder += "/\(part)"
            _ = mkdir(folder, 0o755)
        }
    }
}

/// Reloads that have not begun to read; one is enough, as it reads what is there then.
private final class ReloadCount: Sendable {
    private let isWaiting = Mutex(false)

    /// Whether another reload is to be begun.
    func begin() -> Bool {
        isWaiting.withLock { isWaiting in
            defer { isWaiting = true }
            return !isWaiting
        }
    }

    func isReading() { isWaiting.withLock { $0 = false } }
}
