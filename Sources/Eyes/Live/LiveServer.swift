import CCapture
import ControlProtocol
import Core
import Glibc
import HardwareIO
import LinuxIO
import Synchronization

/// Sends the frames of one program to those that are connected, on a thread of its own.
///
/// Without a connection nothing runs and the thread sleeps. `LivePictureMachine`
/// decides, `LiveConnections` acts.
package final class LiveServer: Sendable {
    /// Local users who may see the live picture; other services may not.
    package static let users: Set<LocalUser> = [.root, .person, .unknown, .dashboard]
    /// Interval of checks of masks and of the machine's bounds.
    private static let look: Duration = .milliseconds(900)

    private struct Shared {
        var machine: LivePictureMachine
        /// A picture of a motion is being taken by its own program.
        var isCapturing = false
        var isStopping = false
        /// The thread that takes pictures waits for the next frame.
        var isFrameWanted = false
        var frame: [UInt8]?
    }

    private let settings: LiveSettings
    private let listener: LocalStreamListener
    private let mark: CaptureMark?
    private let use: CameraUse
    private let cover: PictureCover
    private let refusal: @Sendable () -> LivePictureReport?
    /// Wakes this thread; `frameBell` wakes the one that takes pictures.
    private let bell: Int32
    private let frameBell: Int32
    private let shared: Mutex<Shared>

    /// - Parameters:
    ///   - mark: By which the next start finds what outlived this process and its guard.
    ///   - use: Knows that the program runs.
    ///   - cover: Parts of each picture that are black.
    ///   - refusal: Whether a bound is reached or a mask holds, and why.
    package init(
        _ settings: LiveSettings,
        path: String,
        mark: CaptureMark?,
        use: CameraUse,
        cover: PictureCover,
        refusal: @escaping @Sendable () -> LivePictureReport?
    ) throws(LocalSocketError) {
        listener = try LocalStreamListener(path: path)
        (self.settings, self.mark, self.refusal) = (settings, mark, refusal)
        (self.use, self.cover) = (use, cover)
        (bell, frameBell) = (ccapture_bell(), ccapture_bell())
        shared = Mutex(Shared(machine: LivePictureMachine(limit: settings.limit)))
    }

    deinit {
        close(bell)
        close(frameBell)
    }

    /// The state of the picture.
    package func report() -> LivePictureReport {
        let refusal = refusal()
        var report = shared.withLock { $0.machine.report(refusal) }
        (report.width, report.height) = (settings.width, settings.height)
        report.framesPerSecond = settings.framesPerSecond
        return report
    }

    /// Ends `serve`.
    package func stop() {
        shared.withLock { $0.isStopping = true }
        ring(bell)
    }

    // MARK: - For the thread that takes pictures

    /// Runs `body` while the camera is free, or hands over the next frame while it is not.
    ///
    /// - Parameters:
    ///   - limit: How long the frame may take.
    ///   - body: Takes a picture by its own program.
    /// - Returns: The picture.
    /// - Throws: What `body` throws; `CaptureError.late` without a frame.
    package func picture(
        within limit: Duration,
        _ body: () throws(CaptureError) -> [UInt8]
    ) throws(CaptureError) -> [UInt8] {
        let isFree = shared.withLock { shared in
            shared.isCapturing = !shared.machine.isProgramUp
            shared.isFrameWanted = !shared.isCapturing
            // Forget signals for earlier pictures.
            if shared.isFrameWanted { hush(frameBell) }
            return shared.isCapturing
        }
        guard !isFree else { return try capture(body) }
        var set = pollfd(fd: frameBell, events: Int16(POLLIN), revents: 0)
        let milliseconds = Int32(clamping: Int64(limit / .milliseconds(1)))
        while poll(&set, 1, milliseconds) < 0, errno == EINTR {}
        let frame = shared.withLock { shared in
            defer { (shared.isFrameWanted, shared.frame) = (false, nil) }
            // It may have ended while the motion waited: then the camera is free.
            shared.isCapturing = shared.frame == nil && !shared.machine.isProgramUp
            return shared.frame
        }
        if let frame { return frame }
        guard shared.withLock({ $0.isCapturing }) else { throw .late(limit) }
        return try capture(body)
    }

    /// Runs `body` with the camera reserved, and releases the camera.
    private func capture(
        _ body: () throws(CaptureError) -> [UInt8]
    ) throws(CaptureError) -> [UInt8] {
        defer {
            shared.withLock { $0.isCapturing = false }
            ring(bell)
        }
        return try body()
    }

    // MARK: - On its own thread

    private static var now: MonotonicInstant {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicInstant(
            nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
        )
    }

    private func ring(_ bell: Int32) {
        var one: UInt64 = 1
        _ = Glibc.write(bell, &one, MemoryLayout.size(ofValue: one))
    }

    private func hush(_ bell: Int32) {
        var count: UInt64 = 0
        _ = Glibc.read(bell, &count, MemoryLayout.size(ofValue: count))
    }

    /// Serves until `stop`; another may listen at its path after that.
    package func serve() {
        var connections = LiveConnections(frames: settings.framesPerSecond, cover)
        var (looked, refused) = (MonotonicInstant.boot, LivePictureReport?.none)
        while true {
            let now = Self.now
            let count = connections.followerCount
            if count > 0, now >= looked.advanced(by: Self.look) {
                (looked, refused) = (now, refusal())
            }
            let (actions, next, isStopping) = shared.withLock { shared in
                let facts = LivePictureMachine.Facts(
                    followerCount: shared.isStopping ? 0 : count,
                    refusal: refused,
                    isCameraFree: !shared.isCapturing
                )
                let actions = shared.machine.step(facts, at: now)
                return (actions, shared.machine.nextLook(after: now), shared.isStopping)
            }
            perform(actions, &connections, at: now)
            guard !isStopping else {
                listener.close()
                return connections.close()
            }
            // The bounds are checked at once when the next follower comes.
            if connections.followerCount == 0 { looked = .boot }
            connections.wait(listener.raw, bell, until: next, now)
            hush(bell)
            while let descriptor = listener.accept(from: Self.users) { connections.add(descriptor) }
            connections.hear(at: Self.now)
            read(&connections)
        }
    }

    private func perform(
        _ actions: [LivePictureMachine.Action],
        _ connections: inout LiveConnections,
        at now: MonotonicInstant
    ) {
        for action in actions {
            switch action {
            case .start:
                use.begin()
                do { try connections.start(settings.command, mark) } catch {
                    let more = shared.withLock { $0.machine.fail("\(error)", at: now) }
                    return perform(more, &connections, at: now)
                }
            case .stop:
                _ = connections.stop()
                use.end()
                if shared.withLock({ $0.isFrameWanted }) { ring(frameBell) }
            case .refuse(let report): connections.refuse(report, at: now)
            }
        }
    }

    private func read(_ connections: inout LiveConnections) {
        let now = Self.now
        let isWanted = shared.withLock { $0.isFrameWanted }
        switch connections.read(isWanted: isWanted, at: now) {
        case .nothing: break
        case .frames(let wanted):
            let isGiven = shared.withLock { shared in
                shared.machine.frame(at: now)
                guard let wanted, shared.isFrameWanted else { return false }
                (shared.isFrameWanted, shared.frame) = (false, wanted)
                return true
            }
            if isGiven { ring(frameBell) }
        case .ended(let why):
            let actions = shared.withLock { $0.machine.fail(why, at: now) }
            perform(actions, &connections, at: now)
        }
    }
}
