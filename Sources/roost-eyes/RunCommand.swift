import ArgumentParser
import ClientSupport
import ControlProtocol
import Core
import Eyes
import Glibc
import LinuxIO
import Logging

struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Takes a picture at each motion, until it is asked to stop.",
        discussion: """
            SIGTERM and SIGINT stop it at once: whatever is being taken ends with it, and a picture
            that is being written is whole or gone.

            Example: roost-eyes run --config eyes.json --socket /run/roost/roost.sock
            """
    )
    private static let cleaning: Duration = .seconds(3_600)

    @OptionGroup var options: EyesOptions

    @Option(help: "The station's control socket.")
    var socket = "/run/roost/roost.sock"

    @Option(help: "Its own socket, for `roost records`, `roost status` and the dashboard.")
    var control = EyesRequest.standardSocket

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
        let watcher = try Watcher(
            configuration,
            socket: socket,
            live: live,
            on: loop,
            notifier: notifier,
            logger: logger
        )
        let listener = try listener(on: loop)
        // Only the one that has the socket: another one's captures are left alone.
        let count = CaptureMark(ring: configuration.ring).endLeftovers()
        if count > 0 {
            logger.warning("processes of an earlier capture ended", metadata: ["count": "\(count)"])
        }
        if let live = watcher.live {
            let thread = try DiskThread(name: "live")
            try thread.submit { live.serve() }
        }
        let server = EyesControl(watcher, ring: configuration.ring, clock: loop.clock)
        let lamp = CameraLamp(
            use: watcher.use,
            station: StationLine(socket: socket, loop: loop)
        )
        try loop.run {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await watcher.run() }
                group.addTask { try await watcher.tellStation() }
                group.addTask { try await lamp.run() }
                if configuration.camera != nil {
                    group.addTask { try await watcher.watchCamera() }
                }
                group.addTask { try await server.run(listener) }
                group.addTask {
                    while !Task.isCancelled {
                        try await watcher.clean()
                        try await loop.clock.sleep(for: Self.cleaning, tolerance: .seconds(600))
                    }
                }
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
