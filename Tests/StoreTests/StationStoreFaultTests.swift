import Core
import Glibc
import HardwareIO
import PowerCut
import SQLite
import Testing

@testable import SimulationKit
@testable import Store

@Suite struct StationStoreFaultTests {
    @Test func aHistoryIsGivenUpForErrorsOnlyWhileTheJournalWrites() throws {
        for isJournalWriting in [false, true] {
            let folder = HistoryFolder()
            let recording = PowerCutRecording(folder: folder.path)
            var dust = DustSeries(every: 10, noise: 3)
            let store = try StationStore(
                journal: SimulatedBlockStorage(blockSize: 4_096, blockCount: 64),
                historyPath: folder.database,
                plan: StorePlan(.megabytes(4)),
                version: "1.0",
                mirrorSequence: 0,
                testHooks: HistoryTestHooks(vfs: PowerCutRecording.vfs)
            )
            func live() throws {
                let payload = dust.block(dust.samples(600)).payload
                _ = try store.append(payload, boot: dust.boot)
            }
            _ = try store.append(dust.start().payload, boot: dust.boot)
            try live()
            recording.fail(.broken, from: recording.triedCount)
            for _ in 0..<StationStore.inputErrorLimit + 2 {
                if isJournalWriting { try live() }
                #expect(throws: StoreError.self) { try store.checkpoint() }
            }
            recording.fail(.broken, from: 0, count: 0)
            let checkpoint = try store.checkpoint()
            // A card that is away refuses everything; one that only fails the history is there.
            if isJournalWriting {
                #expect(checkpoint != .taken)
            } else {
                #expect(checkpoint == .taken)
            }
        }
    }

    // MARK: - Damaged blocks of the journal

    /// Blocks 1…4 are in the history, 5…9 wait in the slots of their numbers.
    @Test(arguments: [[5, 6], [6, 7], [5, 8]])
    func lostBlocksAreNamedInTheLedger(slots: [Int]) throws {
        for isReopened in [false, true] {
            let bench = try StoreBench()
            try bench.live(3)
            try bench.store.checkpoint()
            try bench.live(5)
            for slot in slots { bench.ring.corrupt(slot) { $0[200] ^= 1 } }
            if isReopened {
                try bench.store.close()
                let again = try StoreBench.open(bench.ring, bench.folder)
                #expect(again.opening.damage.map(\.slot) == slots)
            } else {
                try bench.store.checkpoint()
            }
            try expectLost(2, bench.ledger())
        }
    }

    @Test(arguments: [[5, 6], [6, 7], [5, 8]])
    func lostBlocksOfAJournalThatNobodyTookAreNamedAsWell(slots: [Int]) throws {
        let bench = try StoreBench()
        try bench.live(3)
        try bench.store.checkpoint()
        try bench.live(5)
        for slot in slots { bench.ring.corrupt(slot) { $0[200] ^= 1 } }
        let history = try HistoryReader(path: bench.folder.database)
        let cursor = try history.cursor()
        let journal = try Journal(bench.ring, reusableUpTo: cursor)
        let tail = journal.tail(after: cursor, try history.newestPlace())
        let reader = try HistoryReader(path: bench.folder.database, tail: tail)
        try expectLost(2, reader.ledger(upTo: bench.dust.tick - bench.dust.interval + 1).lines[0])
    }

    /// Returns the journal before the history takes it, read in pages of so many blocks.
    private func tail(_ bench: StoreBench, pageOf limit: Int) -> HistoryTail {
        var tail = HistoryTail()
        var after: UInt64 = 0
        while true {
            let page = bench.store.waiting(after: after, limit: limit, in: bench.dust.boot)
            for block in page.blocks {
                for loss in page.losses where loss.before == block.sequence {
                    tail.append([.event(loss.event)], boot: loss.boot)
                }
                tail.append(block.payload, boot: block.boot)
            }
            guard let last = page.blocks.last, page.blocks.count == limit else {
                guard let from = page.openLoss else { return tail }
                // As the station: up to the first sample that no block holds.
                let end = Tick(tenths: bench.dust.tick)
                let mark = GapMark(
                    .damaged,
                    of: nil,
                    from: from,
                    to: GapMark.Place(bench.dust.boot, end)
                )
                let event = mark.event(at: end.instant, in: bench.dust.boot)
                tail.append([.event(event)], boot: bench.dust.boot)
                return tail
            }
            after = last.sequence
        }
    }

    /// 9 is the newest, and nothing comes after it.
    @Test(arguments: [[5, 6], [6, 7], [5, 8], [7, 9], [8, 9]], [1, 2, 3, 8])
    func lostBlocksThatStillWaitAreNamedAtOnce(slots: [Int], limit: Int) throws {
        let bench = try StoreBench()
        try bench.live(3)
        try bench.store.checkpoint()
        try bench.live(5)
        for slot in slots { bench.ring.corrupt(slot) { $0[200] ^= 1 } }
        let tail = tail(bench, pageOf: limit)
        let reader = try HistoryReader(path: bench.folder.database, tail: tail)
        let end = bench.dust.tick - bench.dust.interval
        try expectLost(2, reader.ledger(upTo: end).lines[0])
        // The history says the same once it has taken them, and nothing is told twice.
        try bench.live()
        try bench.store.checkpoint()
        let later = try HistoryReader(path: bench.folder.database, tail: tail)
        let marks = try GapMarks.all(in: later)
        #expect(marks.count == (slots[1] == slots[0] + 1 ? 1 : 2))
        let line = try later.ledger(upTo: end).lines[0]
        #expect(line.tenths(.damaged) == 12_000 && line.tenths(.unexplained) == 0)
    }

    private func expectLost(_ count: Int, _ line: GapLedgerReport.Line) {
        #expect(line.valueCount + line.noDataCount == (8 - count) * 600)
        #expect(line.tenths(.damaged) == Int64(count) * 6_000)
        #expect(line.tenths(.unexplained) == 0)
        #expect(line.remainderTenths == 0)
    }

    // MARK: - Damaged slots

    @Test func aDamagedSlotIsNamedWithItsSamples() throws {
        let bench = try StoreBench(blockCount: 32, noise: 500)
        try bench.live(20)
        try bench.store.checkpoint()
        let whole = try bench.ledger()
        try bench.store.close()
        let count = try breakSlot(2, in: bench.folder.database)
        let line = try bench.ledger()
        #expect(count > 100)
        #expect(line.valueCount + line.noDataCount == 20 * 600 - count)
        #expect(line.lostCount == count)
        #expect(line.tenths(.damaged) == Int64(count) * 10)
        #expect(line.tenths(.unexplained) == whole.tenths(.unexplained))
        #expect(line.remainderTenths == 0)
    }

    @Test func aDamagedNewestSlotIsLeftAsItLiesAndNamed() throws {
        let bench = try StoreBench()
        try bench.live(2)
        try bench.store.checkpoint()
        try bench.store.close()
        let count = try breakSlot(1, in: bench.folder.database)
        #expect(count == 1_200)
        let again = try StoreBench.open(bench.ring, bench.folder)
        for _ in 0..<2 {
            let payload = bench.dust.block(bench.dust.samples(600)).payload
            _ = try again.append(payload, boot: bench.dust.boot)
        }
        try again.checkpoint()
        let line = try bench.ledger()
        #expect(line.valueCount + line.noDataCount == 1_200)
        #expect(line.lostCount == count)
        #expect(line.tenths(.unexplained) == 0)
    }

    /// Flips a bit of what a slot holds.
    ///
    /// - Returns: Samples in it.
    private func breakSlot(_ row: Int, in path: String) throws -> Int {
        let connection = try Connection(path)
        var bytes: [UInt8] = try #require(
            try connection.scalar("SELECT data FROM samples WHERE slot = ?", row)
        )
        bytes[100] ^= 1
        try connection.execute("UPDATE samples SET data = ? WHERE slot = ?", bytes, row)
        try connection.close()
        return Int(SlotHeader(bytes).count)
    }

    // MARK: - A reader that stays

    @Test func aReaderThatStaysPutsTheHistoryOffAndTheLogStaysBounded() throws {
        let bench = try StoreBench()
        try bench.store.checkpoint()
        let size = bench.folder.databaseByteCount
        let reader = try Connection(bench.folder.database, mode: .readOnly)
        try reader.execute("BEGIN")
        let _: Int? = try reader.scalar("SELECT count(*) FROM streams")
        try bench.live()
        #expect(try bench.store.checkpoint() == .taken)
        let log = bench.folder.database + "-wal"
        // As if it had been read for days: what lies behind the log's own end is not read.
        truncate(log, off_t(History.logByteLimit + 1))
        try bench.live(40)
        let held = StationStore.Checkpoint.held(logByteCount: History.logByteLimit + 1)
        #expect(bench.store.fill < StationStore.urgentFill)
        #expect(try bench.store.checkpoint() == held)
        try bench.live(9)
        #expect(bench.store.fill >= StationStore.urgentFill)
        #expect(try bench.store.checkpoint() == .taken)
        // Beyond the bound nothing is written, however full the journal is.
        truncate(log, off_t(History.logByteMax + 1))
        try bench.live(60)
        #expect(
            try bench.store.checkpoint() == .held(logByteCount: History.logByteMax + 1)
        )
        #expect(bench.folder.byteCount("history.db-wal") == History.logByteMax + 1)
        try reader.execute("COMMIT")
        try reader.close()
        #expect(try bench.store.checkpoint() == .taken)
        #expect(bench.store.fill == 0)
        #expect(bench.folder.databaseByteCount == size)
        #expect(bench.folder.byteCount("history.db-wal") <= History.logByteLimit)
        #expect(try bench.ledger().tenths(.unexplained) == 0)
    }
}
