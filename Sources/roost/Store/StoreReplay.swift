import ClientSupport
import Core
import HardwareIO
import LinuxIO
import Station
import Store

/// A station's storing without the station: samples at virtual times, real writes and syncs.
struct StoreReplay {
    struct Settings {
        let plan: StorePlan
        let interval: Duration
        /// Real time after each block.
        let pause: Duration?
        /// Blocks after which the file system is brought to rest; nil leaves it to its timers.
        let blocksPerSettling: Int?
        let start: WallTime
        /// The name that the samples are stored under.
        let device: String
    }

    /// Journal and history; a device holds the journal only.
    struct Place {
        let journal: String
        let isDevice: Bool
        let history: String
    }

    /// Bytes of a new ring: 4 MiB, five days of blocks at a block each loss window of 10 min.
    private static let ringByteCount = 4 << 20
    /// Any sixteen bytes: these never come from a kernel, which sets the version's bits.
    private static let boot = BootID(bytes: Array("roost replay run".utf8))

    private let settings: Settings
    private let storage: FileBlockStorage
    private let store: StationStore
    private let paths: [String]
    private let devices: DeviceCounter
    private var intake: StoreIntake
    private var report = StoreReplayReport()
    private var lastCheckpoint = MonotonicInstant(nanoseconds: 0)

    /// Makes a new store.
    init(_ place: Place, _ settings: Settings) throws {
        self.settings = settings
        let journal = settings.plan.journal
        let blockCount = place.isDevice ? nil : Self.ringByteCount / journal.blockSize
        do {
            storage = try FileBlockStorage(
                path: place.journal,
                blockSize: journal.blockSize,
                blockCount: blockCount
            )
        } catch { throw StoreError.storage(error) }
        store = try StationStore(
            journal: storage,
            historyPath: place.history,
            plan: settings.plan,
            version: RoostVersion.text,
            mirrorSequence: 0
        )
        guard store.opening.newestBlock == 0 else {
            let message = "\(place.journal): holds a journal already; zero its first 256 MiB"
            throw ClientFailure(message: message, exitCode: 1)
        }
        intake = StoreIntake(
            lossWindow: journal.lossWindow,
            capacity: store.opening.payloadCapacity,
            streams: []
        )
        paths = [place.journal, place.history]
        devices = DeviceCounter(paths)
    }

    /// Runs the rows through, over and over, and closes the store.
    mutating func run(
        _ rows: [(UInt16, UInt16)],
        times: Int,
        _ progress: ProgressLine
    ) throws -> StoreReplayReport {
        let (writes, syncs, bytes) = (storage.writeCount, storage.syncCount, storage.byteCount)
        let before = devices.read()
        let began = progress.elapsed
        let wall = settings.start
        let origin = Tick(tenths: 0)
        let anchor = ClockAnchor(boot: Self.boot, tick: origin, wall: wall, isTrusted: true)
        var now = MonotonicInstant(nanoseconds: 0)
        append(.started(at: origin, version: RoostVersion.text), now)
        append(.anchor(anchor), now)
        for round in 1...times {
            for row in rows {
                now = now.advanced(by: settings.interval)
                let blocks = storage.writeCount
                try append(row, now)
                if storage.writeCount > blocks { try rest(progress) }
            }
            progress.show("replay: \(round) of \(times), \(report.rows) rows")
        }
        append(.stopped(at: Tick(now)), now)
        try flush()
        try checkpoint()
        report.seconds = progress.elapsed - began
        report.journalWrites = storage.writeCount - writes
        report.journalSyncs = storage.syncCount - syncs
        report.journalBytes = storage.byteCount - bytes
        report.isDirect = storage.isDirect
        try store.close()
        let after = devices.read()
        if let before, let after {
            report.deviceBytes = after.bytes - before.bytes
            report.deviceWrites = after.writes - before.writes
            report.deviceFlushes = after.flushes - before.flushes
        }
        return report
    }

    /// Lets the file system settle and time pass, as on a card between two blocks.
    private func rest(_ progress: ProgressLine) throws {
        progress.show("replay: \(report.rows) rows")
        if let count = settings.blocksPerSettling, storage.writeCount % count == 0 {
            for path in paths { try FileSystem.settle(path) }
        }
        if let pause = settings.pause { try progress.pause(for: pause) }
    }

    private mutating func append(_ row: (UInt16, UInt16), _ now: MonotonicInstant) throws {
        if intake.isFull { try flush() }
        let readings = [(Quantity.pm25, row.0), (.pm10, row.1)].map { quantity, tenths in
            Reading(
                Channel(device: settings.device, quantity: quantity),
                at: now,
                .value(FixedPoint(Int64(tenths), decimals: 1))
            )
        }
        if intake.stream(of: readings) == nil, let stream = intake.makeStream(for: readings) {
            append(.stream(stream), now)
        }
        guard let sample = intake.append(readings, at: now) else { return }
        report.rows += 1
        if report.rows == 1 {
            let from = Tick(tenths: 0)
            append(.schedule(sample.stream, from: from, interval: settings.interval), now)
        }
        if let due = intake.dueAt, due <= now { try flush() }
        let isDue = lastCheckpoint.duration(to: now) >= settings.plan.journal.checkpointInterval
        if isDue || store.fill >= StationStore.urgentFill {
            try flush()
            try checkpoint()
            lastCheckpoint = now
        }
    }

    private mutating func append(_ record: JournalRecord, _ now: MonotonicInstant) {
        intake.append(record, isUrgent: false, at: now)
    }

    /// Makes waiting samples durable: one write and one sync for each block.
    private mutating func flush() throws {
        for payload in intake.drain().payloads {
            _ = try store.append(payload, boot: Self.boot)
            report.payloadBytes += payload.count
        }
    }

    private mutating func checkpoint() throws {
        try store.checkpoint()
        report.historyTransactions += 1
    }
}

/// Counts of what a replay wrote.
struct StoreReplayReport: Codable, Hashable {
    var rows = 0
    /// Bytes of the blocks, without their headers.
    var payloadBytes = 0
    var journalWrites = 0
    var journalSyncs = 0
    var journalBytes = 0
    /// Whether the journal's writes passed the page cache by.
    var isDirect = false
    var historyTransactions = 0
    /// Bytes written as the kernel counts them for the whole device; nil where it does not.
    var deviceBytes: Int?
    var deviceWrites: Int?
    var deviceFlushes: Int?
    var seconds = 0.0

    func perRow(_ bytes: Int) -> Double { rows > 0 ? Double(bytes) / Double(rows) : 0 }

    var lines: [String] {
        func each(_ bytes: Int) -> String { "\(StoreText.rounded(perRow(bytes))) B a row" }
        var lines = [
            StoreText.row("rows", "\(rows)"),
            StoreText.row("payload", "\(payloadBytes) B", each(payloadBytes)),
            StoreText.row("journal", "\(journalBytes) B", each(journalBytes)),
            StoreText.row("  writes, syncs", "\(journalWrites), \(journalSyncs)"),
            StoreText.row("  page cache", isDirect ? "passed by" : "used"),
            StoreText.row("history transactions", "\(historyTransactions)"),
        ]
        if let deviceBytes, let deviceWrites, let deviceFlushes {
            lines.append(
                StoreText.row("reached the device", "\(deviceBytes) B", each(deviceBytes))
            )
            let counts = "\(deviceWrites), \(deviceFlushes)"
            lines.append(StoreText.row("  requests, flushes", counts))
        }
        lines.append(StoreText.row("time", durationText(seconds: seconds)))
        return lines
    }
}
