import ControlProtocol
import Core
import HardwareIO
import Logging
import Synchronization

/// Follows a station and has a picture taken at each motion, one after the other.
///
/// `MotionMachine` decides which motion gets one; this carries it out.
package final class MotionWatcher: Sendable {
    /// Interval of checks whether the camera is plugged in.
    private static let cameraLook: Duration = .seconds(20)
    private static let cleaning: Duration = .seconds(3_600)
    /// Pause before the station is asked again to record an event.
    private static let newsPause: Duration = .seconds(60)
    private static let retries: ClosedRange<Duration> = .seconds(1) ... .seconds(15)

    /// The settings of a watcher.
    package struct Settings: Sendable {
        package let masks: MaskClock
        /// Pictures older than this are deleted, in days.
        package let retentionDays: Int
        /// Id of the present boot; without it no picture is deleted for its age.
        package let boot: BootID?
        /// The machine's time, trusted or not.
        package let wall: @Sendable () -> WallTime
        /// Whether motions get a picture; the camera, and pictures of before, are watched in any
        /// case.
        package let takesPictures: Bool

        package init(
            masks: MaskClock,
            retentionDays: Int,
            takesPictures: Bool = true,
            boot: BootID?,
            wall: @escaping @Sendable () -> WallTime
        ) {
            (self.masks, self.retentionDays) = (masks, retentionDays)
            (self.boot, self.wall, self.takesPictures) = (boot, wall, takesPictures)
        }
    }

    private let settings: Settings
    private let camera: any MotionCamera
    private let station: SocketClient
    private let logger: Logger
    /// Shows the state as one line.
    private let show: @Sendable (String) -> Void
    private let state = Mutex(MotionCounts())
    private let hasNews = Signal()
    private let hasMotion = Signal()

    /// - Parameters:
    ///   - camera: Takes the pictures and has the ring.
    ///   - station: The way to the station.
    ///   - show: Gets a line whenever a count changed.
    package init(
        _ settings: Settings,
        camera: any MotionCamera,
        station: SocketClient,
        logger: Logger,
        show: @escaping @Sendable (String) -> Void
    ) {
        (self.settings, self.camera, self.station) = (settings, camera, station)
        (self.logger, self.show) = (logger, show)
    }

    package var counts: MotionCounts { state.withLock { $0 } }

    /// Watches until cancelled.
    package func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.followStation() }
            group.addTask { try await self.takePictures() }
            group.addTask { try await self.informStation() }
            group.addTask { try await self.watchCamera() }
            group.addTask { try await self.deleteOld() }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private func followStation() async throws {
        record("camera started", [:])
        var delay = Self.retries.lowerBound
        while !Task.isCancelled {
            do {
                try await follow { delay = Self.retries.lowerBound }
                lose("the station closed the connection")
            } catch let error where !(error is CancellationError) {
                lose("\(error)")
            }
            try await station.clock.sleep(for: delay, tolerance: delay / 4)
            delay = min(delay * 2, Self.retries.upperBound)
        }
    }

    private func lose(_ why: String) {
        let isNew = state.withLock { state in
            defer { state.stationTrouble = why }
            return state.stationTrouble != why
        }
        if isNew { logger.warning("station is not followed", metadata: ["why": "\(why)"]) }
    }

    private func follow(_ onLine: () -> Void) async throws {
        let connection = try station.connect()
        defer { connection.close() }
        try connection.send(try ControlCodec.line(AskedQuestion(FollowLive())))
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
            state.withLock { $0.stationTrouble = nil }
            let isSure = item.event?.isSure ?? item.reading?.isSure
            if let isSure { settings.masks.set(isSure: isSure) }
            if let event = item.event, event.kind == "motion", settings.takesPictures {
                admit(event)
            }
        }
    }

    /// Whether the station trusts its clock; false while it does not answer.
    private func stationTrustsClock() async throws -> Bool {
        do {
            return try await station.ask(GetClock()).isSure
        } catch let error where !(error is CancellationError) { return false }
    }

    private func admit(_ event: EventReport) {
        let now = settings.wall()
        let nanoseconds = { (seconds: Double) in
            Int64(exactly: (seconds * 1_000_000_000).rounded()) ?? 0
        }
        let isSure = event.isSure == true && now >= .plausible
        let wall = now.nanoseconds &- nanoseconds(event.ageSeconds)
        let motion = SeenMotion(
            source: event.source,
            time: isSure ? WallTime(nanoseconds: wall) : nil,
            instant: MonotonicInstant(nanoseconds: nanoseconds(event.instantSeconds))
        )
        if isSure { trust(now) }
        let seconds = Int(now.nanoseconds / 1_000_000_000)
        let isMasked = settings.masks.holds(at: seconds, isSure: isSure)
        let admission = state.withLock { state in
            let admission = state.motions.admit(motion, isMasked: isMasked)
            if admission == .capture { state.waiting.append(motion) }
            return admission
        }
        switch admission {
        case .masked: say()
        case .leftOut(let report): leaveOut(report)
        case .capture: hasMotion.raise()
        }
    }

    private func trust(_ wall: WallTime) {
        state.withLock { $0.trusted = (wall, station.clock.now) }
    }

    /// Has the station record the camera's events, until cancelled.
    private func informStation() async throws {
        while !Task.isCancelled {
            while let news = state.withLock({ $0.news }) {
                do {
                    _ = try await station.ask(RecordCameraEvent(news.kind, news.details))
                } catch let failure as ControlFailure {
                    let metadata: Logger.Metadata = ["why": "\(failure.message)"]
                    logger.info("the station does not record the camera", metadata: metadata)
                } catch let error where !(error is CancellationError) {
                    break  // It waits until the station answers.
                }
                state.withLock { state in
                    if let now = state.news, now == news { state.news = nil }
                }
            }
            // A station that was silent for a while has not closed the stream that is followed.
            let waits = state.withLock { $0.news != nil }
            let clock = station.clock
            let next = waits ? clock.now.advanced(by: Self.newsPause) : nil
            _ = try await clock.wait(for: hasNews, until: next, tolerance: Self.newsPause / 4)
        }
    }

    /// Follows whether the camera is plugged in, until cancelled.
    private func watchCamera() async throws {
        while !Task.isCancelled {
            if let isThere = camera.isThere(),
                let news = state.withLock({
                    $0.motions.look(isThere: isThere, absence: camera.absence)
                })
            {
                if !isThere {
                    logger.warning("no camera", metadata: ["why": "\(camera.absence)"])
                }
                record(news)
                say()
            }
            try await station.clock.sleep(for: Self.cameraLook, tolerance: Self.cameraLook / 4)
        }
    }

    private func record(_ news: MotionMachine.News) {
        switch news {
        case .fails(let why): record("camera fails", ["why": Self.cut(why)])
        case .works(let leftOut): record("camera works again", ["count": "\(leftOut)"])
        }
    }

    private func record(_ kind: String, _ details: [String: String]) {
        state.withLock { $0.news = (kind, details) }
        hasNews.raise()
    }

    // MARK: Camera and ring

    private func takePictures() async throws {
        while !Task.isCancelled {
            guard let motion = state.withLock({ $0.waiting.first }) else {
                _ = try await station.clock.wait(for: hasMotion, until: nil, tolerance: .zero)
                continue
            }
            do {
                // A motion may have waited for minutes, and a picture may take one.
                guard !isMasked else {
                    mask(motion)
                    continue
                }
                let bytes = try await camera.picture()
                guard !isMasked else {
                    mask(motion)
                    continue
                }
                let moment = moment
                let record = try await change { ring throws(StorageError) in
                    try ring.add(bytes, of: motion, at: moment)
                }
                logger.info("picture", metadata: ["name": "\(record.name)"])
                let news = state.withLock { state in
                    state.waiting.removeFirst()
                    state.ringTrouble = nil
                    return state.motions.succeed()
                }
                if let news { self.record(news) }
                say()
            } catch let error where !(error is CancellationError) {
                let report = state.withLock { state in
                    state.waiting.removeFirst()
                    return state.motions.fail(motion, "\(error)")
                }
                leaveOut(report)
            }
        }
    }

    /// Whether a masked time holds now.
    private var isMasked: Bool {
        settings.masks.holds(at: Int(settings.wall().nanoseconds / 1_000_000_000))
    }

    private func mask(_ motion: SeenMotion) {
        state.withLock { state in
            state.waiting.removeFirst()
            state.motions.mask(motion)
        }
        say()
    }

    /// Makes the ring, and deletes what has become too old, until cancelled.
    private func deleteOld() async throws {
        while !Task.isCancelled {
            let isSure = try await stationTrustsClock()
            settings.masks.set(isSure: isSure)
            let now = settings.wall()
            if isSure, now >= .plausible { trust(now) }
            try await clean()
            try await station.clock.sleep(for: Self.cleaning, tolerance: .seconds(600))
        }
    }

    private func clean() async throws {
        do {
            let (days, moment) = (settings.retentionDays, moment)
            do {
                let count = try await change(asFound: true) { ring throws(StorageError) in
                    guard let moment else { return 0 }
                    return try ring.expire(after: days, at: moment)
                }
                if count > 0 {
                    logger.notice("old pictures deleted", metadata: ["count": "\(count)"])
                }
            } catch StorageError.absent {
                // Where no picture was ever taken there is none to delete.
            }
            if settings.takesPictures { try await change { _ in } }
            state.withLock { $0.ringTrouble = nil }
        } catch let error where !(error is CancellationError) {
            logger.error("no room for pictures", metadata: ["why": "\(error)"])
            state.withLock { $0.ringTrouble = "\(error)" }
        }
    }

    /// Deletes pictures.
    ///
    /// - Returns: How many there were.
    /// - Throws: What the camera's ring throws.
    package func delete(
        _ isMeant: @escaping @Sendable (_ number: UInt64) -> Bool
    ) async throws -> Int {
        try await change(asFound: true) { ring throws(StorageError) in
            var count = 0
            for record in ring.records where isMeant(record.number) {
                if try ring.delete(record.number) { count += 1 }
            }
            return count
        }
    }

    /// The present, with the last trusted time counted on; nil without a boot's id.
    private var moment: RingTime? {
        guard let boot = settings.boot else { return nil }
        let now = station.clock.now
        let wall = state.withLock { $0.trusted }.map { trusted in
            WallTime(
                nanoseconds: trusted.wall.nanoseconds
                    + (now.nanoseconds - trusted.at.nanoseconds)
            )
        }
        return RingTime(boot: boot, uptime: now, wall: wall)
    }

    private func change<Value: Sendable>(
        asFound: Bool = false,
        _ body: @escaping @Sendable (PictureRing) throws(StorageError) -> Value
    ) async throws -> Value {
        try await camera.changeRing(asFound: asFound) { [self] ring throws(StorageError) in
            defer {
                let records = ring.records
                let newest = records.first.map {
                    EyesReport.Newest(number: $0.number, time: $0.time?.iso8601, source: $0.source)
                }
                state.withLock { ($0.pictureCount, $0.newest) = (records.count, newest) }
            }
            return try body(ring)
        }
    }

    /// Logs one line at each change of the reason; the counts are always in the status.
    private func leaveOut(_ report: MotionMachine.Report) {
        if report.isNew {
            logger.warning("a motion has no picture", metadata: ["why": "\(report.why)"])
        }
        if let news = report.news { record(news) }
        say()
    }

    /// The station keeps 120 bytes of a detail.
    private static func cut(_ text: String) -> String {
        String(decoding: text.utf8.prefix(117), as: UTF8.self)
    }

    private func say() {
        let motions = state.withLock { $0.motions }
        show(
            "\(motions.taken) pictures, \(motions.leftOut) left out, \(motions.masked) in masked "
                + "times" + (motions.trouble.map { "; \($0)" } ?? "")
        )
    }
}
