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
/// `MotionMachine` decides which motion gets one; this carries it out, with threads of its own.
final class Watcher: Sendable {
    /// How often it is looked for, in `/sys`.
    private static let cameraLook: Duration = .seconds(20)
    private static let retries: ClosedRange<Duration> = .seconds(1) ... .seconds(15)

    private let configuration: EyesConfiguration
    private let station: StationLine
    private let loop: EventLoop
    private let disk: DiskThread
    /// Deletes while a picture is taken: the ring's lock keeps the two apart.
    private let desk: DiskThread
    private let logger: Logger
    private let notifier: ServiceNotifier
    private let masks: MaskClock
    /// Nil without a live picture.
    let live: LiveServer?
    let use: CameraUse
    private let boot: BootID?
    private let begun: MonotonicInstant
    private let counts = Mutex(WatcherCounts())
    private let hasNews = Signal()

    init(
        _ configuration: EyesConfiguration,
        socket: String,
        live: String,
        on loop: EventLoop,
        notifier: ServiceNotifier,
        logger: Logger
    ) throws {
        (self.configuration, self.loop) = (configuration, loop)
        (self.notifier, self.logger) = (notifier, logger)
        station = StationLine(socket: socket, loop: loop)
        let masks = MaskClock(configuration.masks)
        self.masks = masks
        let (mark, use) = (CaptureMark(ring: configuration.ring), CameraUse())
        self.use = use
        self.live = try configuration.live.map { settings in
            try LiveServer(settings, path: live, mark: mark, use: use) {
                masks.refusal() ?? settings.bounds.refusal(MachineBounds.Facts.read())
            }
        }
        boot = BootID(MachineFacts.read().bootID)
        begun = loop.clock.now
        disk = try DiskThread(name: "camera")
        desk = try DiskThread(name: "desk")
    }

    /// Follows the station until cancelled.
    func run() async throws {
        tell("camera started", [:])
        var delay = Self.retries.lowerBound
        while !Task.isCancelled {
            do {
                try await follow { delay = Self.retries.lowerBound }
                lose("the station closed the connection")
            } catch let error where !(error is CancellationError) {
                lose("\(error)")
            }
            try await loop.clock.sleep(for: delay, tolerance: delay / 4)
            delay = min(delay * 2, Self.retries.upperBound)
        }
    }

    private func lose(_ why: String) {
        let isNew = counts.withLock { counts in
            defer { counts.stationTrouble = why }
            return counts.stationTrouble != why
        }
        if isNew { logger.warning("station is not followed", metadata: ["why": "\(why)"]) }
    }

    private func follow(_ onLine: () -> Void) async throws {
        let connection = try LocalSocket.connect(path: station.socket, on: loop)
        defer { connection.close() }
        try connection.send(try ControlCodec.line(ControlRequest(.live)))
        hasNews.raise()
        while !Task.isCancelled, let line = try await connection.nextLine() {
            onLine()
            let item = try ControlCodec.message(LiveItem.self, from: line)
            if let count = item.omittedCount {
                logger.warning("station left items out", metadata: ["count": "\(count)"])
            }
            // A station that refuses says so in an answer.
            if item == LiveItem(),
                let refusal = try? ControlCodec.message(ControlAnswer<LiveItem>.self, from: line),
                let error = refusal.error
            {
                throw error
            }
            counts.withLock { $0.stationTrouble = nil }
            let isSure = item.event?.isSure ?? item.reading?.isSure
            if let isSure { masks.note(isSure: isSure) }
            if let event = item.event, event.kind == "motion" { take(event) }
        }
    }

    private func take(_ event: EventReport) {
        var clock = timespec()
        clock_gettime(CLOCK_REALTIME, &clock)
        let now = clock.tv_sec
        let nanoseconds = { (seconds: Double) in
            Int64(exactly: (seconds * 1_000_000_000).rounded()) ?? 0
        }
        let wall =
            Int64(now) &* 1_000_000_000 &+ Int64(clock.tv_nsec) &- nanoseconds(event.ageSeconds)
        let isSure = event.isSure == true
        let motion = SeenMotion(
            source: event.source,
            time: isSure ? WallTime(nanoseconds: wall) : nil,
            instant: MonotonicInstant(nanoseconds: nanoseconds(event.instantSeconds))
        )
        if isSure {
            let sure = WallTime(nanoseconds: Int64(now) * 1_000_000_000)
            counts.withLock { $0.trusted = (sure, loop.clock.now) }
        }
        let isMasked = masks.holds(at: now, isSure: isSure)
        switch counts.withLock({ $0.motions.admit(motion, isMasked: isMasked) }) {
        case .masked: say()
        case .leftOut(let report): leaveOut(report)
        case .capture:
            do { try disk.submit { [self] in picture(motion) } } catch {
                leaveOut(counts.withLock { $0.motions.fail(motion, "\(error)", reason: .busy) })
            }
        }
    }

    /// Makes the ring, and deletes what has become too old; at the start and from a timer.
    func clean() async throws {
        let wall = try await station.trustedTime()
        masks.note(isSure: wall != nil)
        if let wall { counts.withLock { $0.trusted = (wall, loop.clock.now) } }
        try disk.submit { [self] in prepare() }
    }

    /// Has the station record what its owner should learn of the camera, until cancelled.
    func tellStation() async throws {
        while !Task.isCancelled {
            while let news = counts.withLock({ $0.news }) {
                do {
                    let request = ControlRequest.cameraEvent(news.kind, news.details)
                    _ = try await station.ask(request, CourierEventReport.self)
                } catch let failure as ControlFailure where failure.code != "silent" {
                    let metadata: Logger.Metadata = ["why": "\(failure.message)"]
                    logger.info("the station does not record the camera", metadata: metadata)
                } catch let error where !(error is CancellationError) {
                    break  // It waits until the station answers.
                }
                counts.withLock { counts in
                    if let now = counts.news, now == news { counts.news = nil }
                }
            }
            _ = try await loop.clock.wait(for: hasNews, until: nil, tolerance: .zero)
        }
    }

    /// Follows whether the configured camera is plugged in, until cancelled.
    func watchCamera() async throws {
        guard let camera = configuration.camera else { return }
        let words = "\(CameraTrouble.absent)"
        while !Task.isCancelled {
            let isThere = CameraNode.first(camera.choice) != nil
            let news = counts.withLock { $0.motions.look(isThere: isThere, absence: words) }
            if let news {
                if !isThere {
                    logger.warning("no camera", metadata: ["device": "\(camera.choice)"])
                }
                tell(news)
                say()
            }
            try await loop.clock.sleep(for: Self.cameraLook, tolerance: Self.cameraLook / 4)
        }
    }

    private func tell(_ news: MotionMachine.News) {
        switch news {
        case .fails(let why): tell("camera fails", ["why": Self.cut(why)])
        case .works(let leftOut): tell("camera works again", ["count": "\(leftOut)"])
        }
    }

    private func tell(_ kind: String, _ details: [String: String]) {
        counts.withLock { $0.news = (kind, details) }
        hasNews.raise()
    }

    // MARK: On the camera's thread

    /// Now, with the trusted time as it was last heard and counted on; nil without a boot's name.
    private var moment: RingMoment? {
        guard let boot else { return nil }
        let now = loop.clock.now
        let wall = counts.withLock { $0.trusted }.map { trusted in
            WallTime(
                nanoseconds: trusted.wall.nanoseconds
                    + (now.nanoseconds - trusted.at.nanoseconds)
            )
        }
        return RingMoment(boot: boot, uptime: now, wall: wall)
    }

    private func change<Value>(
        _ body: (PictureRing) throws(StorageError) -> Value
    ) throws(StorageError) -> Value {
        try PictureKeeper.change(
            configuration.ring,
            shape: configuration.shape
        ) { ring throws(StorageError) in
            defer {
                let records = ring.records
                let newest = records.first.map {
                    EyesReport.Newest(number: $0.number, time: $0.time?.iso8601, source: $0.source)
                }
                counts.withLock { ($0.pictureCount, $0.newest) = (records.count, newest) }
            }
            return try body(ring)
        }
    }

    private func prepare() {
        do {
            let (days, moment) = (configuration.retentionDays, moment)
            let count = try change { ring throws(StorageError) in
                guard let moment else { return 0 }
                return try ring.expire(after: days, at: moment)
            }
            if count > 0 {
                logger.notice("old pictures deleted", metadata: ["count": "\(count)"])
            }
            counts.withLock { $0.ringTrouble = nil }
        } catch {
            logger.error("no room for pictures", metadata: ["why": "\(error)"])
            counts.withLock { $0.ringTrouble = "\(error)" }
        }
    }

    private func picture(_ motion: SeenMotion) {
        let program = CaptureProgram(
            configuration.command,
            limit: configuration.limit,
            byteMax: configuration.shape.pictureMax,
            mark: CaptureMark(ring: configuration.ring)
        )
        do {
            let bytes = try use.during { () throws(CaptureError) in try take(program) }
            let moment = moment
            let record = try change { ring throws(StorageError) in
                try ring.add(bytes, of: motion, at: moment)
            }
            if let news = counts.withLock({ $0.motions.succeed() }) { tell(news) }
            logger.info("picture", metadata: ["name": "\(record.name)"])
            say()
        } catch {
            leaveOut(counts.withLock { $0.motions.fail(motion, "\(error)") })
        }
    }

    /// By the program for pictures, or from the live picture while that has the camera.
    private func take(_ program: CaptureProgram) throws(CaptureError) -> [UInt8] {
        guard let live else { return try program.run() }
        let bytes = try live.picture(within: configuration.limit) { () throws(CaptureError) in
            try program.run()
        }
        guard bytes.count <= configuration.shape.pictureMax else {
            throw .tooLarge(byteMax: configuration.shape.pictureMax)
        }
        return bytes
    }

    /// One line at each change of the reason, and the counts in the status always.
    private func leaveOut(_ report: MotionMachine.Report) {
        if report.isNew {
            logger.warning("a motion has no picture", metadata: ["why": "\(report.why)"])
        }
        if let news = report.news { tell(news) }
        say()
    }

    /// The station keeps 120 bytes of a detail.
    private static func cut(_ text: String) -> String {
        String(decoding: text.utf8.prefix(117), as: UTF8.self)
    }

    private func say() {
        let motions = counts.withLock { $0.motions }
        notifier.status(
            "\(motions.taken) pictures, \(motions.leftOut) left out, \(motions.masked) in masked "
                + "times" + (motions.trouble.map { "; \($0)" } ?? "")
        )
    }
}

// MARK: - For clients

extension Watcher: EyesKeeper {
    func report() async -> EyesReport {
        let shape = configuration.shape
        let byteCount = shape.blockCount * PictureShape.blockSize
        var report = EyesReport(
            version: RoostVersion.text,
            processID: getpid(),
            uptimeSeconds: (loop.clock.now.nanoseconds - begun.nanoseconds).inSeconds,
            ring: (configuration.ring, byteCount, shape.slotCount),
            retentionDays: configuration.retentionDays
        )
        report.live = live?.report()
        if let choice = configuration.camera?.choice {
            report.wantedCamera = "\(choice)"
            report.camera = CameraNode.first(choice)?.report
        }
        counts.withLock { counts in
            report.takenCount = counts.motions.taken
            report.leftOutCount = counts.motions.leftOut
            report.maskedCount = counts.motions.masked
            report.waitingCount = counts.motions.waiting
            report.lastTrouble = counts.motions.trouble
            report.ringTrouble = counts.ringTrouble
            report.stationTrouble = counts.stationTrouble
            report.lacks = counts.motions.lacks.all
            (report.pictureCount, report.newest) = (counts.pictureCount, counts.newest)
        }
        return report
    }

    func delete(_ pictures: PictureChoice) async throws -> Int {
        do {
            return try await desk.run { [self] in
                try change { ring throws(StorageError) in
                    var count = 0
                    for record in ring.records where pictures.includes(record.number) {
                        if try ring.delete(record.number) { count += 1 }
                    }
                    return count
                }
            }
        } catch let error as StorageError {
            throw ControlFailure(code: "store", message: "\(error)")
        } catch let error as LinuxError {
            throw ControlFailure(code: "too-many", message: "\(error)")
        }
    }
}

extension PictureChoice {
    fileprivate func includes(_ picture: UInt64) -> Bool {
        switch self {
        case .one(let number): picture == number
        case .allUpTo(let last): picture <= last
        }
    }
}

extension Int64 {
    /// Of nanoseconds.
    fileprivate var inSeconds: Double { Double(self) / 1_000_000_000 }
}
