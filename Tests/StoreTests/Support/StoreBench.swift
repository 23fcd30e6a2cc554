import Core
import Glibc
import HardwareIO
import PowerCut
import SQLite
import Testing

@testable import SimulationKit
@testable import Store

/// A station's store on real files, its journal in memory, and dust that goes in.
final class StoreBench {
    let folder = HistoryFolder()
    let ring: SimulatedBlockStorage
    var dust: DustSeries
    private(set) var store: StationStore

    init(blockCount: Int = 64, noise: Int64 = 3) throws {
        dust = DustSeries(every: 10, noise: noise)
        ring = SimulatedBlockStorage(blockSize: 4_096, blockCount: blockCount)
        store = try Self.open(ring, folder)
        try append(dust.start().payload)
    }

    static func open(_ ring: SimulatedBlockStorage, _ folder: HistoryFolder) throws -> StationStore
    {
        try StationStore(
            journal: ring,
            historyPath: folder.database,
            plan: StorePlan(.megabytes(4)),
            version: "1.0",
            mirrorSequence: 0
        )
    }

    /// A ring of eight blocks and twenty lived: the first two hours are in the history alone.
    static func withHoursThatOnlyTheHistoryHolds() throws -> StoreBench {
        let bench = try StoreBench(blockCount: 8)
        for _ in 0..<5 {
            try bench.live(4)
            try bench.store.checkpoint()
        }
        return bench
    }

    func reopen() throws {
        try? store.close()
        store = try Self.open(ring, folder)
    }

    /// Another store on the same files, made by a plan of another size.
    func reopened(megabytes: Int) throws -> StationStore {
        try StationStore(
            journal: ring,
            historyPath: folder.database,
            plan: StorePlan(.megabytes(megabytes)),
            version: "1.0",
            mirrorSequence: 0
        )
    }

    func append(_ payload: [UInt8]) throws { _ = try store.append(payload, boot: dust.boot) }

    /// Ten minutes of samples in a block.
    func live(_ blockCount: Int = 1) throws {
        for _ in 0..<blockCount { try append(dust.block(dust.samples(600)).payload) }
    }

    /// The page on which a small table begins.
    func page(of table: String) throws -> Int {
        let reader = try Connection(folder.database, mode: .readOnly)
        defer { try? reader.close() }
        let sql = "SELECT rootpage FROM sqlite_master WHERE name = ?"
        let found: Int? = try reader.scalar(sql, table)
        return try #require(found)
    }

    /// Overwrites pages of the file as it lies there.
    func damage(_ pages: Range<Int>) throws {
        let descriptor = Glibc.open(folder.database, O_WRONLY)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let noise = [UInt8](repeating: 0xA5, count: 4_096)
        for page in pages {
            #expect(pwrite(descriptor, noise, noise.count, off_t(page * 4_096)) == noise.count)
        }
    }

    /// The account of all that the history holds, from the start to the last sample.
    func ledger() throws -> GapLedgerReport.Line {
        let reader = try HistoryReader(path: folder.database)
        return try #require(try reader.ledger(upTo: dust.tick - dust.interval + 1).lines.first)
    }
}

extension HistoryReader {
    /// Makes the report of `roost ledger`, for one run.
    func ledger(upTo end: Int64) throws -> GapLedgerReport {
        let stream = DustSeries.stream
        let runs = try self.runs().map {
            NodeRun(boot: $0.boot, started: $0.started, ended: Tick(tenths: end), end: .running)
        }
        let clock = ClockAnchors(runs: runs, anchors: [])
        let timeline = GapLedgerTimeline(runs: runs, clock: clock)
        var ledger = GapLedger(stream, along: timeline)
        var marks = GapMarks(try GapMarks.all(in: self), of: stream.id, along: timeline)
        let spans = try boots().map { HistorySpan(boot: $0.id, from: Tick(tenths: 0), to: .end) }
        let samples = try RawSamples(self, stream.id, spans)
        for schedule in try schedules() {
            ledger.schedule(schedule.interval, schedule.boot, from: schedule.from)
        }
        while let sample = try samples.next() {
            for loss in samples.takeLosses(interval: 10) { ledger.mark(loss) }
            while let mark = marks.next(upTo: timeline.order(sample.boot, sample.tick)) {
                ledger.mark(mark)
            }
            ledger.sample(sample.outcomes, sample.boot, sample.tick)
        }
        for loss in samples.takeLosses(interval: 10) { ledger.mark(loss) }
        while let mark = marks.next(upTo: .last) { ledger.mark(mark) }
        return ledger.finish()
    }
}

extension GapLedgerReport.Line {
    /// Tenths of one cause.
    func tenths(_ cause: GapCause) -> Int64 {
        gaps.filter { $0.cause == cause }.reduce(0) { $0 + $1.tenths }
    }
}
