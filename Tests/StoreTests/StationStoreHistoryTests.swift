import Core
import FoundationEssentials
import Glibc
import HardwareIO
import PowerCut
import SQLite
import TestSupport
import Testing

@testable import SimulationKit
@testable import Store

@Suite struct StationStoreHistoryTests {
    @Test func aHistoryDamagedWhileOpenIsReplacedAndHasAllThatItHad() throws {
        let bench = try StoreBench()
        try bench.live(10)
        try bench.store.checkpoint()
        try bench.store.set("place", to: "balcony")
        try bench.live(5)
        // Past the first page, which SQLite has in its cache.
        try bench.damage(0..<400)
        guard case .replaced(.mended(let aside, _, _)) = try bench.store.checkpoint() else {
            Issue.record("it was not replaced")
            return
        }
        #expect(access(aside, F_OK) == 0)
        #expect(try bench.store.setting("place") == "balcony")
        try bench.live(5)
        #expect(try bench.store.checkpoint() == .taken)
        let stored = try HistoryReader(path: bench.folder.database).all()
        #expect(stored.count == 20 * 600)
        let line = try bench.ledger()
        #expect(line.tenths(.unexplained) == 0)
        #expect(line.remainderTenths == 0)
    }

    @Test func aHistoryWithoutAWholePageIsSetAsideAndANewOneBegun() throws {
        let bench = try StoreBench.withHoursThatOnlyTheHistoryHolds()
        try bench.store.close()
        // Nothing of it is left, but for a piece without any row.
        try bench.damage(0..<bench.folder.databaseByteCount / 4_096 - 8)
        unlink(bench.folder.database + HistorySchema.copySuffix)
        let again = try StoreBench.open(bench.ring, bench.folder)
        guard case .setAside = again.opening.history else {
            Issue.record("\(again.opening.history)")
            return
        }
        // The devices of the ring's samples are unknown now; the samples are kept all the same.
        #expect(again.opening.streams.map(\.device) == ["unnamed-1"])
        #expect(try HistoryReader(path: bench.folder.database).all().count == 8 * 600)
        try again.close()
    }

    @Test func aHistoryThatLostItsCountersHasAllThatItHad() throws {
        for waiting in [0, 3] {
            let bench = try StoreBench.withHoursThatOnlyTheHistoryHolds()
            try bench.live(waiting)
            try bench.store.close()
            // How far the journal was taken, and where the rings go on.
            let page = try bench.page(of: "numbers")
            try bench.damage(page - 1..<page)
            let again = try StoreBench.open(bench.ring, bench.folder)
            guard case .mended = again.opening.history else {
                Issue.record("\(again.opening.history)")
                return
            }
            #expect(again.opening.streams == [DustSeries.stream])
            let line = try bench.ledger()
            #expect(line.valueCount + line.noDataCount == (20 + waiting) * 600)
            #expect(line.tenths(.damaged) == 0)
            #expect(line.tenths(.unexplained) == 0)
            // It goes on where it was.
            for _ in 0..<4 {
                _ = try again.append(
                    bench.dust.block(bench.dust.samples(600)).payload,
                    boot: bench.dust.boot
                )
            }
            try again.checkpoint()
            #expect(
                try HistoryReader(path: bench.folder.database).all().count == (24 + waiting) * 600
            )
            try again.close()
        }
    }

    @Test(arguments: [false, true])
    func aHistoryThatLostItsNamesKeepsItsSamples(isRepeated: Bool) throws {
        let bench = try StoreBench.withHoursThatOnlyTheHistoryHolds()
        if isRepeated { try bench.append(JournalRecordCodec.encode([.stream(DustSeries.stream)])) }
        try bench.store.checkpoint()
        try bench.store.close()
        // The leaf behind the table's root.
        let root = try bench.page(of: "streams")
        try bench.damage(root..<root + 1)
        unlink(bench.folder.database + HistorySchema.copySuffix)
        let again = try StoreBench.open(bench.ring, bench.folder)
        defer { try? again.close() }
        // Only the ring has the name, if it was repeated there.
        let names = again.opening.streams.map(\.device)
        #expect(names == [isRepeated ? DustSeries.stream.device : "unnamed-1"])
        #expect(try HistoryReader(path: bench.folder.database).all().count == 20 * 600)
        #expect(try bench.ledger().tenths(.unexplained) == 0)
    }

    @Test func aLostHistoryIsMadeOfWhatTheRingHolds() throws {
        let bench = try StoreBench.withHoursThatOnlyTheHistoryHolds()
        // As the station does four times in a turn of the ring.
        let start = JournalRecord.started(at: Tick(tenths: 10), version: "1.0")
        let schedule = JournalRecord.schedule(
            DustSeries.stream.id,
            from: Tick(tenths: 10),
            interval: .seconds(1)
        )
        try bench.append(JournalRecordCodec.encode([start, .stream(DustSeries.stream), schedule]))
        try bench.store.checkpoint()
        #expect(try HistoryReader(path: bench.folder.database).runs().count == 1)
        try bench.store.close()
        unlink(bench.folder.database)
        let again = try StoreBench.open(bench.ring, bench.folder)
        defer { try? again.close() }
        #expect(again.opening.streams == [DustSeries.stream])
        let line = try bench.ledger()
        #expect(line.valueCount + line.noDataCount == 7 * 600)
        #expect(abs(line.tenths(.damaged) - 13 * 6_000) <= 20)
        #expect(line.tenths(.unexplained) == 0)
    }

    @Test func aHistoryFoundDamagedAtTheStartKeepsWhatItsSmallTablesSay() throws {
        let bench = try StoreBench.withHoursThatOnlyTheHistoryHolds()
        try bench.store.set("place", to: "balcony")
        try bench.store.close()
        // The header still says what it is, and the first ring's root does not.
        try bench.damage(1..<2)
        let again = try StoreBench.open(bench.ring, bench.folder)
        guard case .mended = again.opening.history else {
            Issue.record("\(again.opening.history)")
            return
        }
        #expect(again.opening.streams == [DustSeries.stream])
        #expect(try again.setting("place") == "balcony")
        let line = try bench.ledger()
        #expect(line.valueCount + line.noDataCount == 20 * 600)
        #expect(line.tenths(.damaged) == 0)
        #expect(line.tenths(.unexplained) == 0)
    }

    @Test func aPageThatRotsIsMetByTheNextTake() throws {
        let bench = try StoreBench()
        try bench.live(3)
        try bench.store.checkpoint()
        let reader = try Connection(bench.folder.database, mode: .readOnly)
        let sql = "SELECT rootpage FROM sqlite_master WHERE name = 'anchors'"
        let pages = try reader.rows(sql) { (row) throws(SQLiteError) in try row[0] as Int }
        let page = try #require(pages.first)
        try reader.close()
        // Its first leaf: no sample and no word of the next take goes there.
        try bench.damage(page - 1..<page)
        try bench.live()
        guard case .replaced = try bench.store.checkpoint() else {
            Issue.record("it was not replaced")
            return
        }
        #expect(try HistoryReader(path: bench.folder.database).all().count == 4 * 600)
        #expect(try bench.ledger().tenths(.unexplained) == 0)
    }

    @Test func aHistorySetAsideByWhoCouldNotMakeANewOneIsAskedLater() throws {
        let bench = try StoreBench.withHoursThatOnlyTheHistoryHolds()
        try bench.store.set("place", to: "balcony")
        try bench.store.close()
        try bench.damage(1..<2)
        HistoryFile.setAside(bench.folder.database)
        let again = try StoreBench.open(bench.ring, bench.folder)
        #expect(again.opening.history == .fresh)
        #expect(again.opening.streams == [DustSeries.stream])
        #expect(try again.setting("place") == "balcony")
        let line = try bench.ledger()
        #expect(line.valueCount + line.noDataCount == 20 * 600)
        #expect(line.tenths(.damaged) == 0)
        #expect(line.tenths(.unexplained) == 0)
    }

    /// Pages above slots and rows, of the small tables, and some of slots.
    ///
    /// In the small form one of each kind, of the samples and of all other tables.
    private static func pages(_ whole: [UInt8], _ path: String) throws -> [Int] {
        var seen: Set<String> = []
        return try (0..<whole.count / 4_096).filter { page in
            // Interior pages of tables and the first leaves below them; leaves of indices.
            let kind = whole[page * 4_096]
            guard
                [5, 10].contains(kind) || page == 0 || page % 96 == 1
                    || whole[(page - 1) * 4_096] == 5
            else { return false }
            let isOfSamples = try table(of: page, path) == "samples"
            return seen.insert("\(kind) \(isOfSamples)").inserted || Exhaustive.isWhole
        }
    }

    private static func table(of page: Int, _ path: String) throws -> String? {
        let reader = try Connection(path, mode: .readOnly)
        defer { try? reader.close() }
        let sql = "SELECT name FROM sqlite_master WHERE rootpage <= ? ORDER BY rootpage DESC"
        return try reader.scalar(sql, page + 1)
    }

    @Test func aPageThatRotsWhileNobodyLooksTakesNothingButItself() throws {
        let bench = try StoreBench.withHoursThatOnlyTheHistoryHolds()
        try bench.store.close()
        let file = URL(filePath: bench.folder.database)
        let all = try HistoryReader(path: file.path()).all().count
        let whole = try [UInt8](Data(contentsOf: file))
        for page in try Self.pages(whole, file.path()) {
            let table = try Self.table(of: page, file.path())
            try bench.damage(page..<page + 1)
            let again = try StoreBench.open(bench.ring, bench.folder)
            let left = try HistoryReader(path: file.path()).all().count
            if whole[page * 4_096] == 5 || table != "samples" {
                #expect(left == all, "\(table ?? "") \(page)")
                let names = again.opening.streams.map(\.id)
                #expect(names == [DustSeries.stream.id], "page \(page)")
                #expect(try bench.ledger().tenths(.unexplained) == 0, "page \(page)")
            } else {
                // Slots are met by a patrol. Whatever is gone, the rest is read.
                #expect(left <= all, "\(table ?? "") \(page)")
            }
            try again.close()
            try Data(whole).write(to: file)
        }
    }

    @Test func aPageThatRotsUnderTheStationTakesNothingButItself() throws {
        let bench = try StoreBench.withHoursThatOnlyTheHistoryHolds()
        try bench.store.set("place", to: "balcony")
        try bench.reopen()
        let file = URL(filePath: bench.folder.database)
        let pages = try Self.pages([UInt8](Data(contentsOf: file)), file.path())
        for page in pages {
            try bench.reopen()
            let all = try HistoryReader(path: file.path()).all().count
            let table = try Self.table(of: page, file.path())
            let kind = try [UInt8](Data(contentsOf: file))[page * 4_096]
            // These SQLite may have in memory still, while the file is read only after a start.
            guard kind == 5 || !["streams", "numbers"].contains(table) else { continue }
            try bench.damage(page..<page + 1)
            for _ in 0..<4 {
                try bench.live()
                try bench.store.checkpoint()
            }
            try bench.reopen()
            let left = try HistoryReader(path: file.path()).all().count
            let lost = table == "samples" && kind != 5 ? 4_000 : 0
            #expect(left >= all + 2_400 - lost, "\(left) of \(all), \(table ?? "") \(page)")
            #expect(try bench.store.setting("place") == "balcony", "page \(page)")
            #expect(try bench.ledger().tenths(.unexplained) == 0, "page \(page)")
        }
    }

    /// SQLite reads the page as whole, and no table says which stream its slots belong to.
    @Test(arguments: [1, -1])
    func aSlotWithoutItsHeaderTearsNoChainForLong(_ which: Int) throws {
        let bench = try StoreBench.withHoursThatOnlyTheHistoryHolds()
        let file = URL(filePath: bench.folder.database)
        try bench.store.close()
        let all = try HistoryReader(path: file.path()).all().count
        let reader = try Connection(file.path(), mode: .readOnly)
        let sql = "SELECT data FROM samples ORDER BY slot"
        let headers = try reader.rows(sql) { (row) throws(SQLiteError) in
            SlotHeader(try row[0])
        }
        try reader.close()
        let mine = headers.filter { $0.key == SlotKey(DustSeries.stream.id) }
        #expect(mine.count > 3)
        let header = mine[which < 0 ? mine.count + which : which]
        var rotten = try [UInt8](Data(contentsOf: file))
        let place = try #require(rotten.firstRange(of: header.bytes)).lowerBound
        for index in place..<place + 20 { rotten[index] ^= 0x5A }
        try Data(rotten).write(to: file)
        try bench.reopen()
        // Each looks at a quarter of the slots.
        for _ in 0..<4 {
            try bench.live()
            try bench.store.checkpoint()
        }
        let left = try HistoryReader(path: file.path()).all().count
        #expect(left >= all + 2_400 - Int(header.count), "\(left) of \(all + 2_400)")
        #expect(try bench.ledger().tenths(.unexplained) == 0)
    }

    @Test func whatTheNewestSlotLostTheJournalStillHas() throws {
        let bench = try StoreBench.withHoursThatOnlyTheHistoryHolds()
        let file = URL(filePath: bench.folder.database)
        try bench.store.close()
        let reader = try HistoryReader(path: file.path())
        let before = try reader.all()
        let end = try #require(
            try reader.chain(.samples, SlotKey(DustSeries.stream.id), place: 1)
        )
        let whole = try [UInt8](Data(contentsOf: file))
        let place = try #require(whole.firstRange(of: end.header.bytes)).lowerBound
        try bench.damage(place / 4_096..<place / 4_096 + 1)
        try bench.reopen()
        // Not a word of this one page is read at the start: the take that writes there meets it.
        try bench.live()
        try bench.store.checkpoint()
        #expect(try HistoryReader(path: file.path()).all().count == before.count + 600)
        #expect(try bench.ledger().tenths(.unexplained) == 0)
        #expect(try bench.ledger().tenths(.damaged) == 0)
    }

    @Test func aBrokenHeaderIsMetWithinFourTakes() throws {
        let bench = try StoreBench()
        try bench.live()
        try bench.store.close()
        let connection = try Connection(bench.folder.database, mode: .readWrite)
        let sql = "UPDATE samples SET data = ? WHERE slot = (SELECT max(slot) FROM samples)"
        try connection.execute(sql, [UInt8](repeating: 0xA5, count: HistorySchema.largeSlot))
        try connection.close()
        try bench.reopen()
        var isMet = false
        for _ in 0..<4 {
            try bench.live()
            if case .replaced(.mended) = try bench.store.checkpoint() { isMet = true }
        }
        #expect(isMet)
    }

    @Test func rowsThatWereWrittenWhereAPageRottedComeFromTheJournal() throws {
        let bench = try StoreBench()
        try bench.live(10)
        try bench.store.checkpoint()
        try bench.store.close()
        let connection = try Connection(bench.folder.database, mode: .readWrite)
        try connection.executeScript("UPDATE runs SET run = 0; UPDATE schedules SET number = 0")
        try connection.close()
        try bench.damage(1..<2)
        try bench.reopen()
        let reader = try HistoryReader(path: bench.folder.database)
        #expect(try reader.runs().count == 1)
        #expect(try reader.schedules().count == 1)
        #expect(try reader.all().count == 6_000)
    }

    @Test func aRescueThatWasCutOffIsBegunAnew() throws {
        let bench = try StoreBench.withHoursThatOnlyTheHistoryHolds()
        try bench.store.close()
        let path = bench.folder.database
        HistoryFile.setAside(path)
        // The new one was made, and that is all.
        try HistoryFile.open(path: path, plan: StorePlan(.megabytes(4))).0.close()
        try bench.reopen()
        #expect(try HistoryReader(path: path).all().count == 20 * 600)
        #expect(try bench.ledger().tenths(.damaged) == 0)
    }

    @Test(arguments: [true, false])
    func aNewHistoryIsAsLargeAsTheDamagedOne(hasCopy: Bool) throws {
        let bench = try StoreBench.withHoursThatOnlyTheHistoryHolds()
        try bench.store.close()
        if !hasCopy { unlink(bench.folder.database + HistorySchema.copySuffix) }
        try bench.damage(1..<2)
        let store = try StationStore(
            journal: bench.ring,
            historyPath: bench.folder.database,
            plan: StorePlan(.megabytes(6)),
            version: "1.0",
            mirrorSequence: 0
        )
        guard case .mended = store.opening.history else {
            Issue.record("\(store.opening.history)")
            return
        }
        #expect(try HistoryReader(path: bench.folder.database).all().count == 20 * 600)
        try store.close()
    }
}
