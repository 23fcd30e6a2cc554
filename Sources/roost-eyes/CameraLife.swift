import Camera
import ControlProtocol
import Core
import Eyes
import Glibc
import HardwareIO
import LinuxIO
import Logging
import Synchronization

/// Runs the camera as its settings say, and anew after each change of what is in use.
final class CameraLife: Sendable {
    /// A camera that is in use.
    struct Running: Sendable {
        let configuration: EyesConfiguration
        let masks: MaskClock
        let camera: CardCamera
        let watcher: MotionWatcher
    }

    /// The ways out of this process.
    struct Ways: Sendable {
        let station: SocketClient
        /// The socket of the live picture.
        let live: String
        let logger: Logger
        let show: @Sendable (String) -> Void
    }

    private let settings: EyesSettings
    private let ways: Ways
    private let liveThread: DiskThread
    private let trials: DiskThread
    private let running = Mutex<Running?>(nil)
    let use = CameraUse()

    /// - Throws: `LinuxError` when there is no thread to be had.
    init(_ settings: EyesSettings, _ ways: Ways) throws {
        (self.settings, self.ways) = (settings, ways)
        liveThread = try DiskThread(name: "live")
        trials = try DiskThread(name: "trial")
    }

    /// The camera in use; nil while it is off, and for a moment at a change.
    var now: Running? { running.withLock { $0 } }

    /// Runs until cancelled.
    ///
    /// - Throws: `LinuxError`, `LocalSocketError` where the live picture cannot be offered.
    func run() async throws {
        while !Task.isCancelled {
            let (configuration, version) = settings.inUse
            if let configuration {
                try await run(configuration, version)
            } else {
                ways.show(settings.trouble ?? "off: no camera is chosen")
                try await wait(for: version)
            }
        }
    }

    /// Waits until another version of the settings is in use.
    private func wait(for version: Int) async throws {
        while settings.inUse.version == version {
            let changed = settings.hasChanged
            _ = try await ways.station.clock.wait(for: changed, until: nil, tolerance: .zero)
        }
    }

    private func run(_ configuration: EyesConfiguration, _ version: Int) async throws {
        let mark = CaptureMark(ring: configuration.ring)
        let count = mark.endLeftovers()
        if count > 0 {
            let metadata: Logger.Metadata = ["count": "\(count)"]
            ways.logger.warning("processes of an earlier capture ended", metadata: metadata)
        }
        // One that was tried while the camera was off has ended with them: wait until it is over.
        try await trials.run {}
        let masks = MaskClock(configuration.masks)
        let camera = try CardCamera(configuration, masks: masks, live: ways.live, use: use)
        let watcher = watcher(of: camera, configuration, masks)
        if let live = camera.live { try liveThread.submit { live.serve() } }
        running.withLock {
            $0 = Running(
                configuration: configuration,
                masks: masks,
                camera: camera,
                watcher: watcher
            )
        }
        defer { running.withLock { $0 = nil } }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await watcher.run() }
            group.addTask { try await self.wait(for: version) }
            defer { group.cancelAll() }
            try await group.next()
        }
        // The next camera may be this one: it must be let go before.
        camera.end()
        _ = mark.endLeftovers()
        try await liveThread.run {}
        try await camera.drain()
        _ = mark.endLeftovers()
    }

    private func watcher(
        of camera: CardCamera,
        _ configuration: EyesConfiguration,
        _ masks: MaskClock
    ) -> MotionWatcher {
        let settings = MotionWatcher.Settings(
            masks: masks,
            retentionDays: configuration.retentionDays,
            takesPictures: configuration.records,
            boot: BootID(MachineFacts.read().bootID)
        ) {
            var time = timespec()
            clock_gettime(CLOCK_REALTIME, &time)
            return WallTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
        }
        return MotionWatcher(
            settings,
            camera: camera,
            station: ways.station,
            logger: ways.logger,
            show: ways.show
        )
    }

    /// What a trial of a picture needs.
    var means: CameraTrial.Means {
        CameraTrial.Means(
            refusal: { [self] in try await refusal(of: $0) },
            node: { CameraNode.first($0) },
            take: { [self] configuration, turn in
                if let now { return try await now.camera.trial(configuration, turn) }
                return try await trials.run { [self] in
                    defer { turn.end() }
                    guard now == nil else { throw CaptureError.ended }
                    let bytes = try use.during { () throws(CaptureError) in
                        try CardCamera.takePicture(configuration)
                    }
                    return CameraTrial.Picture(bytes, isOfLive: false)
                }
            }
        )
    }

    /// Why a configuration may not be tried now: a mask of those in use, or one of its own.
    private func refusal(of wanted: EyesConfiguration) async throws -> LivePictureReport? {
        if let refusal = now?.masks.refusal() { return refusal }
        let inUse = now == nil ? settings.inUse.configuration?.masks ?? [] : []
        guard !inUse.isEmpty || !wanted.masks.isEmpty else { return nil }
        let masks = MaskClock(inUse + wanted.masks)
        masks.set(isSure: try await isClockSure())
        return masks.refusal()
    }

    /// Whether the station trusts its clock; false while it does not answer.
    private func isClockSure() async throws -> Bool {
        do {
            return try await ways.station.ask(GetClock()).isSure
        } catch let error where !(error is CancellationError) { return false }
    }
}
