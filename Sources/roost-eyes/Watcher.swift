import ControlProtocol
import Core
import Eyes
import Glibc
import HardwareIO
import LinuxIO
import Logging
import Pictures
import Synchronization

/// Follows a station and takes a picture at each motion.
///
/// A motion waits for the camera in a queue of four; one more is left out, counted and logged.
final class Watcher: Sendable {
    private static let waitingMax = 4
    private static let retries: ClosedRange<Duration> = .seconds(1) ... .seconds(15)

    private let configuration: EyesConfiguration
    private let socket: String
    private let loop: EventLoop
    private let disk: DiskThread
    private let logger: Logger
    private let notifier: ServiceNotifier
    private let counts = Mutex(Counts())

    private struct Counts {
        var waiting = 0
        var taken = 0
        var leftOut = 0
        var masked = 0
        var lastTrouble: String?
    }

    init(
        _ configuration: EyesConfiguration,
        socket: String,
        on loop: EventLoop,
        notifier: ServiceNotifier,
        logger: Logger
    ) throws {
        (self.configuration, self.socket, self.loop) = (configuration, socket, loop)
        (self.notifier, self.logger) = (notifier, logger)
        disk = try DiskThread(name: "camera")
    }

    /// Follows the station until cancelled.
    func run() async throws {
        try disk.submit { [self] in prepare() }
        var delay = Self.retries.lowerBound
        var trouble: String?
        while !Task.isCancelled {
            do {
                try await follow { delay = Self.retries.lowerBound }
            } catch let error where !(error is CancellationError) {
                if trouble != "\(error)" {
                    logger.warning("station is not followed", metadata: ["why": "\(error)"])
                }
                trouble = "\(error)"
            }
            try await loop.clock.sleep(for: delay, tolerance: delay / 4)
            delay = min(delay * 2, Self.retries.upperBound)
        }
    }

    private func follow(_ onLine: () -> Void) async throws {
        let connection = try LocalSocket.connect(path: socket, on: loop)
        defer { connection.close() }
        try connection.send(try ControlCodec.line(ControlRequest(.live)))
        while !Task.isCancelled, let line = try await connection.nextLine() {
            onLine()
            let item = try ControlCodec.message(LiveItem.self, from: line)
            if let count = item.omittedCount {
                logger.warning("station left items out", metadata: ["count": "\(count)"])
            }
            if let event = item.event, event.kind == "motion" { take(event) }
            // A station that refuses says so in an answer.
            if item == LiveItem(),
                let refusal = try? ControlCodec.message(ControlAnswer<LiveItem>.self, from: line),
                let error = refusal.error
            {
                throw error
            }
        }
    }

    private func take(_ event: EventReport) {
        let now = time(nil)
        let nanoseconds = { (seconds: Double) in
            Int64(exactly: (seconds * 1_000_000_000).rounded()) ?? 0
        }
        let wall = Int64(now) &* 1_000_000_000 &- nanoseconds(event.ageSeconds)
        let motion = SeenMotion(
            source: event.source,
            time: event.isSure == true ? WallTime(nanoseconds: wall) : nil,
            instant: MonotonicInstant(nanoseconds: nanoseconds(event.instantSeconds))
        )
        if isMasked(now) {
            counts.withLock { $0.masked += 1 }
            return
        }
        let isWaiting = counts.withLock { counts in
            guard counts.waiting < Self.waitingMax else {
                counts.leftOut += 1
                return false
            }
            counts.waiting += 1
            return true
        }
        guard isWaiting else { return leaveOut("the camera is too slow: \(Self.waitingMax) wait") }
        do { try disk.submit { [self] in picture(motion) } } catch {
            counts.withLock {
                $0.waiting -= 1
                $0.leftOut += 1
            }
            leaveOut("\(error)")
        }
    }

    private func isMasked(_ now: time_t) -> Bool {
        var (now, parts) = (now, tm())
        guard localtime_r(&now, &parts) != nil else { return !configuration.masks.isEmpty }
        let minute = Int(parts.tm_hour * 60 + parts.tm_min)
        return configuration.masks.contains { $0.covers(minute) }
    }

    // MARK: On the camera's thread

    /// Makes the ring before the first motion, and deletes what is too old.
    private func prepare() {
        do {
            let before = WallTime(
                nanoseconds: Int64(time(nil) - configuration.retentionDays * 86_400) * 1_000_000_000
            )
            let count = try PictureKeeper.change(
                configuration.ring,
                shape: configuration.shape
            ) { ring throws(StorageError) in try ring.delete(before: before) }
            if count > 0 {
                logger.notice("old pictures deleted", metadata: ["count": "\(count)"])
            }
        } catch {
            logger.error("no room for pictures", metadata: ["why": "\(error)"])
        }
    }

    /// Deletes what has become too old; from a timer.
    func clean() throws { try disk.submit { [self] in prepare() } }

    private func picture(_ motion: SeenMotion) {
        defer { counts.withLock { $0.waiting -= 1 } }
        let program = CaptureProgram(
            configuration.command,
            limit: configuration.limit,
            byteMax: configuration.shape.pictureMax
        )
        do {
            let bytes = try program.run()
            let record = try PictureKeeper.change(
                configuration.ring,
                shape: configuration.shape
            ) { ring throws(StorageError) in try ring.add(bytes, of: motion) }
            counts.withLock {
                $0.taken += 1
                $0.lastTrouble = nil
            }
            logger.info("picture", metadata: ["name": "\(record.name)"])
            say()
        } catch {
            counts.withLock { $0.leftOut += 1 }
            leaveOut("\(error)")
        }
    }

    /// One line at each change of the reason, and the counts in the status always.
    private func leaveOut(_ why: String) {
        let isNew = counts.withLock { counts in
            defer { counts.lastTrouble = why }
            return counts.lastTrouble != why
        }
        if isNew { logger.warning("a motion has no picture", metadata: ["why": "\(why)"]) }
        say()
    }

    private func say() {
        let (taken, left, masked, why) = counts.withLock {
            ($0.taken, $0.leftOut, $0.masked, $0.lastTrouble)
        }
        notifier.status(
            "\(taken) pictures, \(left) left out, \(masked) in masked times"
                + (why.map { "; \($0)" } ?? "")
        )
    }
}
