import ArgumentParser
import ClientSupport
import ControlProtocol
import Core
import CourierIO
import Glibc
import LinuxIO
import Logging
import Profiles
import RoostCourier
import Runtime
import StoreQueries

struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Delivers what a station records, until it is asked to stop.",
        discussion: """
            The station's store is the queue: nothing is copied, and after months offline the \
            courier goes on where it stopped. SIGTERM and SIGINT stop in order; SIGHUP reads the \
            configuration and the secrets again. Without a configuration it runs too: targets can \
            be added on the page or by `roost target add`.

            Examples: roost-courier run
                      roost-courier run --config courier.json --socket /run/roost/roost.sock

            Exit codes: 0 stopped in order, 1 failed, 64 wrong usage, 70 something hung, \
            75 another courier has the socket, 78 the configuration is wrong.
            """
    )

    /// Time within which an orderly stop must end.
    private static let stopLimit: Duration = .seconds(8)

    @Option(help: "The configuration file.")
    var config = CourierConfiguration.standardPath

    @Option(help: "The station's control socket.")
    var socket = "/run/roost/roost.sock"

    @Option(help: "The courier's own socket, for `roost outbox`.")
    var control = StandardSocket.courier

    @Option(help: "The folder of secrets, after those of systemd.")
    var secrets = SecretFolder.standard

    @Option(help: "The folder of subscribers and their keys.")
    var state = CourierFolder.standard

    @Option(help: "The file of the pictures of motions, for notices that carry one.")
    var pictures = "/var/lib/roost-eyes/pictures"

    /// Folder of the socket; a start of the machine clears it.
    private var runtime: String {
        let parts = control.split(separator: "/", omittingEmptySubsequences: false)
        return parts.count > 1 ? parts.dropLast().joined(separator: "/") : "."
    }

    @Option(help: "The folder of hashed certificates of authorities.")
    var authorities = "/etc/ssl/certs"

    @Option(help: "The program that looks for other stations.")
    var avahiBrowse = AvahiBrowser.standardProgram

    /// Announcement that the image and scripts/install write.
    private static let announcement = "/etc/avahi/services/roost.service"

    @OptionGroup var presets: PresetOptions

    @Flag(help: "Log what happens, not only what matters.")
    var verbose = false

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        SignalMonitor.block()
        let configuration: CourierConfiguration
        do {
            configuration = try read(isNeeded: config != CourierConfiguration.standardPath)
        } catch let error as ConfigurationError {
            Output.error("\(error)")
            throw ExitCode(78)
        }
        let level: Logger.Level = verbose ? .info : .notice
        let logger = Logger(label: "roost-courier") { label in
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = level
            return handler
        }
        let lock = try self.lock()
        defer { lock.release() }
        let loop = try EventLoop()
        let signals = try SignalMonitor(on: loop)
        let notifier = ServiceNotifier()
        let node = CourierNode(
            configuration,
            file: config,
            in: try world(loop, notifier, logger)
        )
        let (command, path) = (self, control)
        let socket = ChildSpec(id: "control") { _ in
            CourierControl(node, users: .ofSystem) {
                try LocalSocketListener(path: path, on: loop)
            }
        }
        try loop.run {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await command.follow(signals, node, loop, notifier, logger)
                }
                defer { group.cancelAll() }
                notifier.ready()
                try await node.run(serving: socket)
            }
        }
    }

    /// Takes the lock that prevents a second courier, which would send everything again.
    private func lock() throws -> InstanceLock {
        do throws(LinuxError) {
            return try InstanceLock(path: "\(control).lock")
        } catch {
            guard case .held(_, let holder) = error else {
                Output.error("the socket's lock cannot be made: \(error); see --control")
                throw ExitCode(1)
            }
            let who = holder.map { ": \($0)" } ?? ""
            Output.error("another courier has \(control)\(who); stop it, or give --control")
            throw ExitCode(75)
        }
    }

    /// Reads the configuration; a file that is not there is an empty one, unless it is needed.
    private func read(isNeeded: Bool) throws -> CourierConfiguration {
        let bytes: [UInt8]?
        do {
            let limit = CourierConfiguration.byteLimit + 1
            bytes =
                isNeeded
                ? try FileBytes.read(config, limit: limit)
                : try FileBytes.readIfThere(config, limit: limit)
        } catch {
            Output.error("\(error)")
            throw ExitCode(1)
        }
        return try CourierConfiguration(
            bytes ?? Array("{}".utf8),
            file: config,
            presets: try presets.catalog()
        )
    }

    private func world(
        _ loop: EventLoop,
        _ notifier: ServiceNotifier,
        _ logger: Logger
    ) throws -> CourierDependencies {
        let curl = try CurlNetwork(on: loop)
        let authorities = authorities
        var world = CourierDependencies(
            link: StationSocket(path: socket, on: loop),
            history: HistoryDisk(on: try DiskThread(name: "history")),
            secrets: SecretFolder.ofProcess(secrets),
            clock: loop.clock,
            logger: logger
        ) { needs in
            var settings = CurlSettings()
            settings.allowsLocal = needs.allowsLocal
            settings.isPublicOnly = needs.isPublicOnly
            settings.proxy = needs.proxy.map { MaskedText($0) }
            settings.authorities = authorities
            return curl.with(settings)
        }
        world.presets = try presets.catalog()
        world.processID = getpid()
        world.boot = BootID(MachineFacts.read().bootID)
        world.seed = UInt64(bitPattern: loop.clock.now.nanoseconds)
        world.zone = Zone.system
        let disk = try DiskThread(name: "subscribers")
        world.files = CourierFolder.ofProcess(state, on: disk)
        world.pictures = RingPictures(path: pictures, on: try DiskThread(name: "pictures"))
        if access(Self.announcement, R_OK) == 0 {
            var name = [CChar](repeating: 0, count: 256)
            if gethostname(&name, name.count - 1) == 0 {
                let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
                world.address = "http://\(String(decoding: bytes, as: UTF8.self)).local"
            }
        }
        world.stations = AvahiBrowser(avahiBrowse)
        world.runtime = CourierFolder(path: runtime, credentials: nil, on: disk)
        do {
            world.routes = try KernelRoutes(on: loop, disk: DiskThread(name: "routes"))
        } catch {
            logger.warning("routes are not followed", metadata: ["why": "\(error)"])
        }
        world.pet = { notifier.pet() }
        if let watchdog = notifier.watchdogTimeout { world.watchdog = watchdog }
        world.endProcess = { reason in
            logger.critical("ending the process", metadata: ["reason": "\(reason)"])
            _exit(70)
        }
        return world
    }

    private func follow(
        _ signals: SignalMonitor,
        _ node: CourierNode,
        _ loop: EventLoop,
        _ notifier: ServiceNotifier,
        _ logger: Logger
    ) async throws {
        // A file that is away for a moment is no empty configuration.
        let wasThere = access(config, F_OK) == 0
        while !Task.isCancelled {
            guard try await signals.next() == SIGHUP else { break }
            notifier.reloading()
            do {
                try await node.reload(try read(isNeeded: wasThere))
                logger.notice("configuration read again", metadata: ["file": "\(config)"])
            } catch {
                logger.error("configuration not applied", metadata: ["problem": "\(error)"])
            }
            notifier.ready()
        }
        logger.notice("stopping")
        notifier.stopping()
        node.requestStop()
        try await loop.clock.sleep(for: Self.stopLimit)
        logger.critical("did not stop in time", metadata: ["limit": "\(Self.stopLimit)"])
        _exit(70)
    }
}
