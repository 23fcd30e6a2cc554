import Core
import Glibc
import SQLite
import Testing

@testable import Store

@Suite struct StoreCursorTests {
    private static func cursor(_ name: String, _ bytes: Int, _ fill: UInt8 = 1) -> StoreCursor {
        StoreCursor(name: name, blob: [UInt8](repeating: fill, count: bytes))
    }

    private static func put(_ cursors: [StoreCursor], _ bench: StoreBench) throws {
        try bench.append(JournalRecordCodec.encode(cursors.map { .cursor($0) }))
    }

    private static func stored(_ bench: StoreBench) throws -> [StoreCursor] {
        try HistoryReader(path: bench.folder.database).cursors()
    }

    @Test func theNewestOfANameCountsAndTheFileKeepsItsSize() throws {
        let bench = try StoreBench()
        let size = bench.folder.databaseByteCount
        for round in 1...3 as ClosedRange<UInt8> {
            let all = (0..<16).map { Self.cursor("target-\($0)", 1_024, round) }
            for cursor in all { try Self.put([cursor], bench) }
            try bench.store.checkpoint()
            #expect(try Self.stored(bench) == all.sorted { $0.name < $1.name })
        }
        try Self.put([Self.cursor("target-3", 0)], bench)
        try Self.put([Self.cursor("another", 5)], bench)
        try bench.store.checkpoint()
        let names = try Self.stored(bench).map(\.name)
        #expect(names.contains("another") && !names.contains("target-3") && names.count == 16)
        #expect(bench.store.opening.cursors.isEmpty)
        try bench.reopen()
        #expect(bench.store.opening.cursors.map(\.name) == names)
        try bench.store.close()
        #expect(bench.folder.databaseByteCount == size)
    }

    /// A block that waits has a newer one than the history.
    @Test func whatWaitsInTheJournalCounts() throws {
        let bench = try StoreBench()
        try Self.put([Self.cursor("a", 3, 1), Self.cursor("b", 4)], bench)
        try bench.store.checkpoint()
        try Self.put([Self.cursor("a", 3, 2)], bench)
        let tail = HistoryTail(bench.store.waiting(after: 0, limit: 9, in: bench.dust.boot).blocks)
        let reader = try HistoryReader(path: bench.folder.database, tail: tail)
        #expect(try reader.cursors() == [Self.cursor("a", 3, 2), Self.cursor("b", 4)])
    }

    @Test func aDamagedHistoryKeepsThem() throws {
        let bench = try StoreBench()
        try bench.live(3)
        try Self.put([Self.cursor("a", 900, 1), Self.cursor("b", 4)], bench)
        try bench.store.checkpoint()
        // Newer than the copy of the tables: the journal's ring has it.
        try Self.put([Self.cursor("a", 900, 2)], bench)
        try bench.store.close()
        let page = try bench.page(of: "cursors")
        try bench.damage(page - 1..<page)
        let again = try StoreBench.open(bench.ring, bench.folder)
        guard case .mended = again.opening.history else {
            Issue.record("\(again.opening.history)")
            return
        }
        #expect(again.opening.cursors == [Self.cursor("a", 900, 2), Self.cursor("b", 4)])
        #expect(!again.opening.lacksCursors)
        try again.close()
    }

    @Test func aLostHistoryGetsThemFromTheCopy() throws {
        let bench = try StoreBench.withHoursThatOnlyTheHistoryHolds()
        try Self.put([Self.cursor("a", 10)], bench)
        try bench.store.checkpoint()
        for _ in 0..<3 {
            try bench.live(4)
            try bench.store.checkpoint()
        }
        try bench.store.close()
        unlink(bench.folder.database)
        let again = try StoreBench.open(bench.ring, bench.folder)
        #expect(again.opening.cursors == [Self.cursor("a", 10)])
        #expect(!again.opening.lacksCursors)
        try again.close()
    }

    /// Neither file nor copy: it is said, so that a follower does not begin from the first sample.
    @Test func aLossIsSaid() throws {
        let bench = try StoreBench.withHoursThatOnlyTheHistoryHolds()
        try Self.put([Self.cursor("a", 10)], bench)
        try bench.store.checkpoint()
        for _ in 0..<3 {
            try bench.live(4)
            try bench.store.checkpoint()
        }
        try bench.store.close()
        unlink(bench.folder.database)
        unlink(bench.folder.database + HistorySchema.copySuffix)
        let again = try StoreBench.open(bench.ring, bench.folder)
        #expect(again.opening.cursors.isEmpty && again.opening.lacksCursors)
        try again.close()
    }

    /// A history of the version before gets the table from its spare pages.
    @Test func anOlderHistoryMigrates() throws {
        let folder = HistoryFolder()
        let (made, _) = try HistoryFile.open(path: folder.database, plan: StorePlan(.megabytes(4)))
        try made.connection.executeScript(
            "DROP TABLE cursors; DELETE FROM migrations WHERE name = '4 cursors';"
        )
        try made.close()
        let size = folder.databaseByteCount
        #expect(try HistoryReader(path: folder.database).cursors().isEmpty)
        let (history, opening) = try HistoryFile.open(
            path: folder.database,
            plan: StorePlan(.megabytes(4))
        )
        #expect(opening == .found(migrated: ["4 cursors"]))
        #expect(try history.connection.integrityCheck().isEmpty)
        try history.close()
        #expect(folder.databaseByteCount == size)
    }
}
