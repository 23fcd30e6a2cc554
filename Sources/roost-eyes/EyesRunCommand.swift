import ArgumentParser
import Camera
import ClientSupport
import ControlProtocol
import Core
import Eyes
import Glibc
import LinuxIO
import Logging

struct EyesRunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Takes a picture at each motion, until it is asked to stop.",
        discussion: """
            SIGTERM and SIGINT stop it at once: whatever is being taken ends with it, and a \
            picture that is being written is whole or gone.

            Example: roost-eyes run --config eyes.json --socket /run/roost/roost.sock
            """
    )
    @OptionGroup var options: EyesOptions

    @Option(help: "The station's control socket.")
    var socket = "/run/roost/roost.sock"

    @Option(help: "Its own socket, for `roost records`, `roost status` and the dashboard.")
    var control = StandardSocket.camera

    @Option(help: "The socket of the live picture, for the dashboard.")
    var live = LivePictureMessage.standardSocket

    @Flag(help: "Log what happens, not only what matters.")
    var verbose = false

    private func listener(on loop: EventLoop) throws -> LocalSocketListener {
        do { return try LocalSocketListener(path: control, on: loop) } catch {
            Output.error("\(error); its folder must be there, or name another with --control")
            throw ExitCode(1)
        }
    }

    private func server(
        _ report: CameraReport,
        of configuration: EyesConfiguration,
        on loop: EventLoop
    ) -> LineServer {
        let table = QuestionTable(report, ring: configuration.ring, users: .ofSystem)
        return LineServer(table, clock: loop.clock)
    }

    private func endLeftovers(of configuration: EyesConfiguration, _ logger: Logger) {
        let count = CaptureMark(ring: configuration.ring).endLeftovers()
        guard count > 0 else { return }
        logger.warning("processes of an earlier capture ended", metadata: ["count": "\(count)"])
    }

    private var logger: Logger {
        let level: Logger.Level = verbose ? .info : .notice
        return Logger(label: "roost-eyes") { label in
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = level
            return handler
        }
    }

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        SignalMonitor.block()
        let configuration = try options.read()
        let logger = logger
        let loop = try EventLoop()
        let signals = try SignalMonitor(on: loop)
        let notifier = ServiceNotifier()
        let station = SocketClient(path: socket, on: loop)
        let masks = MaskClock(configuration.masks)
        let camera = try CardCamera(configuration, masks: masks, live: live)
        let settings = MotionWatcher.Settings(
            masks: masks,
            retentionDays: configuration.retentionDays,
            boot: BootID(MachineFacts.read().bootID)
        ) {
            var time = timespec()
            clock_gettime(CLOCK_REALTIME, &time)
            return WallTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
        }
        let watcher = MotionWatcher(
            settings,
            camera: camera,
            station: station,
            logger: logger
        ) { notifier.status($0) }
        let listener = try listener(on: loop)
        // Only by the process that owns the socket: another one's captures must go on.
        endLeftovers(of: configuration, logger)
        if let live = camera.live {
            let thread = try DiskThread(name: "live")
            try thread.submit { live.serve() }
        }
        let report = CameraReport(configuration, watcher, camera, clock: loop.clock)
        let server = server(report, of: configuration, on: loop)
        let lamp = CameraLamp(use: camera.use, station: station)
        try loop.run {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await watcher.run() }
                group.addTask { try await lamp.run() }
                group.addTask { try await server.run(listener) }
                group.addTask {
                    _ = try await signals.next()
                    notifier.stopping()
                    await lamp.putOut()
                    // Nothing waits for camera or card: both are made to be left at any time.
                    _exit(0)
                }
                defer { group.cancelAll() }
                notifier.ready()
                try await group.next()
            }
        }
    }
}
