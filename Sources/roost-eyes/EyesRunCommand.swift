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

            Without a configuration file the camera is what its owner chose on the page Camera, or \
            by `roost camera`.

            Example: roost-eyes run --config eyes.json --socket /run/roost/roost.sock
            """
    )
    @OptionGroup var options: EyesOptions

    @Option(help: "The station's control socket.")
    var socket = "/run/roost/roost.sock"

    @Option(help: "Its own socket, for `roost records`, `roost status` and the dashboard.")
    var control = StandardSocket.camera

    @Option(help: "The folder of what the owner sets while it runs.")
    var state = "/var/lib/roost-eyes"

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

    private func server(_ report: CameraReport, on loop: EventLoop) -> LineServer {
        let table = QuestionTable(report, ring: report.ring, users: .ofSystem)
        return LineServer(table, clock: loop.clock)
    }

    /// What is in use, read before anything else begins.
    private func settings(_ logger: Logger) throws -> EyesSettings {
        let settings = EyesSettings(try options.values(), path: options.config, folder: state)
        settings.load()
        if let trouble = settings.trouble {
            logger.error("settings not used", metadata: ["why": "\(trouble)"])
        }
        return settings
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
        let logger = logger
        let settings = try settings(logger)
        let loop = try EventLoop()
        let signals = try SignalMonitor(on: loop)
        let notifier = ServiceNotifier()
        let station = SocketClient(path: socket, on: loop)
        let life = try CameraLife(
            settings,
            CameraLife.Ways(station: station, live: live, logger: logger) { notifier.status($0) }
        )
        // Before the camera: only the process that owns the socket may end another one's captures.
        let listener = try listener(on: loop)
        let server = server(try CameraReport(settings, life, clock: loop.clock), on: loop)
        let lamp = CameraLamp(use: life.use, station: station)
        try loop.run {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await life.run() }
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
