import Glibc
import HardwareIO
import PowerCut
import Readings
import SQLite
import SimulationKit
import Testing

@testable import Store

@Suite struct StationStoreHistoryTests {
    @Test func aHistoryDamagedWhileOpenIsReplacedAndHasAllThatTheJournalHolds() throws {
        let bench = try StoreBench()
        try bench.live(10)
        try bench.store.checkpoint()
        try bench.store.set("place", to: "balcony")
        try bench.live(5)
        // Past the first page, which SQLite has in its cache.
        try bench.damage(0..<400)
        guard case .replaced(.setAside(let aside, _)) = try bench.store.checkpoint() else {
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

    @Test func whatOnlyTheDamagedHistoryHeldIsNamedInTheLedger() throws {
        let bench = try StoreBench.withHoursThatOnlyTheHistoryHolds()
        try bench.damage(0..<400)
        try bench.live()
        guard case .replaced = try bench.store.checkpoint() else {
            Issue.record("it was not replaced")
            return
        }
        let stored = try HistoryReader(path: bench.folder.database).all()
        #expect(stored.count == 8 * 600)
        let line = try bench.ledger()
        #expect(line.valueCount + line.noDataCount == 8 * 600)
        #expect(line.tenths(.damaged) == 13 * 6_000 - 10)
        #expect(line.tenths(.unexplained) == 0)
        #expect(line.remainderTenths == 0)
    }

    @Test func aHistoryFoundDamagedAtTheStartKeepsWhatItsSmallTablesSay() throws {
        let bench = try StoreBench.withHoursThatOnlyTheHistoryHolds()
        try bench.store.set("place", to: "balcony")
        try bench.store.close()
        // The header still says what it is, and the first ring's root does not.
        try bench.damage(1..<2)
        let again = try StoreBench.open(bench.ring, bench.folder)
        guard case .setAside = again.opening.history else {
            Issue.record("\(again.opening.history)")
            return
        }
        #expect(again.opening.streams == [DustSeries.stream])
        #expect(try again.setting("place") == "balcony")
        let line = try bench.ledger()
        #expect(line.valueCount + line.noDataCount == 8 * 600)
        #expect(line.tenths(.damaged) == 12 * 6_000 - 10)
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
        History.setAside(bench.folder.database)
        let again = try StoreBench.open(bench.ring, bench.folder)
        #expect(again.opening.history == .fresh)
        #expect(again.opening.streams == [DustSeries.stream])
        #expect(try again.setting("place") == "balcony")
        let line = try bench.ledger()
        #expect(line.valueCount + line.noDataCount == 8 * 600)
        #expect(line.tenths(.damaged) == 12 * 6_000 - 10)
        #expect(line.tenths(.unexplained) == 0)
    }
}
