import Core
import FoundationEssentials
import Glibc
import SQLite
import Testing

@testable import SimulationKit
@testable import Store

/// Losses when the history's log rots or is lost.
@Suite struct StationStoreLogTests {
    /// Copies the files as a power cut leaves them at this moment, with `change` done to them.
    private func cut(
        _ bench: StoreBench,
        _ change: (_ database: String) throws -> Void
    ) throws -> (StationStore, HistoryFolder) {
        let folder = HistoryFolder()
        for name in ["history.db", "history.db-wal"] {
            let from = bench.folder.path + "/" + name
            guard access(from, F_OK) == 0 else { continue }
            try FileManager.default.copyItem(atPath: from, toPath: folder.path + "/" + name)
        }
        try change(folder.database)
        return (try StoreBench.open(bench.ring, folder), folder)
    }

    private func flip(_ path: String, at offset: Int) throws {
        let descriptor = open(path, O_RDWR)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        var byte: UInt8 = 0
        #expect(pread(descriptor, &byte, 1, off_t(offset)) == 1)
        byte ^= 4
        #expect(pwrite(descriptor, &byte, 1, off_t(offset)) == 1)
    }

    /// Returns a store, and a reader that keeps new records in the log.
    private func held() throws -> (StoreBench, Connection) {
        let bench = try StoreBench()
        let reader = try Connection(bench.folder.database, mode: .readOnly)
        try reader.execute("BEGIN")
        let _: Int? = try reader.scalar("SELECT count(*) FROM streams")
        return (bench, reader)
    }

    private func blank(_ path: String, from offset: Int, count: Int) throws {
        let descriptor = open(path, O_RDWR)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let zeros = [UInt8](repeating: 0, count: count)
        #expect(pwrite(descriptor, zeros, count, off_t(offset)) == count)
    }

    @Test(arguments: [0, 9, 26, 40, 48, 200, 4_200, 20_000])
    func aBitThatRotsInTheLogCostsNothing(offset: Int) throws {
        // A ring of eight blocks, which later ones overwrite.
        let bench = try StoreBench.withHoursThatOnlyTheHistoryHolds()
        try bench.live(3)
        let (store, folder) = try cut(bench) { database in
            try flip(database + "-wal", at: offset)
        }
        defer { try? store.close() }
        let reader = try HistoryReader(path: folder.database)
        #expect(try reader.all().count == 23 * 600)
        let line = try #require(
            try reader.ledger(upTo: bench.dust.tick - bench.dust.interval + 1).lines.first
        )
        #expect(line.tenths(.unexplained) == 0)
        #expect(line.tenths(.damaged) == 0)
    }

    @Test func aDamagedLogIsNamed() throws {
        let (bench, reader) = try held()
        try bench.live(3)
        try bench.store.checkpoint()
        try bench.live(3)
        try bench.store.checkpoint()
        #expect(HistoryLog(of: bench.folder.database).damage == nil)
        let (store, folder) = try cut(bench) { database in
            try flip(database + "-wal", at: 5_000)
            #expect(HistoryLog(of: database).damage != nil)
        }
        defer { try? store.close() }
        #expect(store.opening.losses.contains { $0.contains("log of the history is damaged") })
        #expect(try HistoryReader(path: folder.database).all().count == 6 * 600)
        try reader.execute("COMMIT")
        try reader.close()
    }

    /// The power went while a sector of the last transaction was written, at each sector.
    @Test(arguments: [0, 512, 2_048, 4_096]) func aWriteThatPowerCutShortIsNoDamage(
        left: Int
    ) throws {
        let (bench, reader) = try held()
        try bench.live(3)
        try bench.store.checkpoint()
        let before = try #require(
            FileManager.default.attributesOfItem(atPath: bench.folder.database + "-wal")[.size]
                as? Int
        )
        try bench.live(3)
        try bench.store.checkpoint()
        let (store, folder) = try cut(bench) { database in
            // Bytes from before follow there, with other contents.
            try blank(database + "-wal", from: before + left, count: 512)
            let log = HistoryLog(of: database)
            #expect(log.isCutShort && log.damage == nil && log.wholeFrames > 0)
        }
        defer { try? store.close() }
        #expect(store.opening.isLogCutShort && store.opening.losses.isEmpty)
        #expect(try HistoryReader(path: folder.database).all().count == 6 * 600)
        try reader.execute("COMMIT")
        try reader.close()
    }

    @Test func theJournalKeepsWhatLiesInTheLogAlone() throws {
        let (bench, reader) = try held()
        try bench.live(3)
        try bench.store.checkpoint()
        // Read already, and not in the file yet.
        #expect(try HistoryReader(path: bench.folder.database).all().count == 3 * 600)
        #expect(bench.store.fill > 0 && bench.store.fill < StoreCheckpoint.urgentFill)
        try reader.execute("COMMIT")
        try reader.close()
        try bench.store.checkpoint()
        #expect(bench.store.fill == 0)
    }

    @Test func anOlderHistoryIsTakenUpAndTheLedgerNamesWhatTheRingLost() throws {
        let bench = try StoreBench(blockCount: 8)
        try bench.live(4)
        try bench.store.checkpoint()
        let old = bench.folder.path + "/old.db"
        try FileManager.default.copyItem(atPath: bench.folder.database, toPath: old)
        for _ in 0..<5 {
            try bench.live(4)
            try bench.store.checkpoint()
        }
        let (store, folder) = try cut(bench) { database in
            for suffix in ["", "-wal"] { unlink(database + suffix) }
            try FileManager.default.copyItem(atPath: old, toPath: database)
        }
        defer { try? store.close() }
        #expect(store.opening.losses.contains { $0.contains("overwritten") })
        let reader = try HistoryReader(path: folder.database)
        #expect(try reader.all().count == (4 + 8) * 600)
        let line = try #require(
            try reader.ledger(upTo: bench.dust.tick - bench.dust.interval + 1).lines.first
        )
        #expect(line.tenths(.unexplained) == 0)
        #expect(abs(line.tenths(.damaged) - 12 * 6_000) <= 20)
    }
}
