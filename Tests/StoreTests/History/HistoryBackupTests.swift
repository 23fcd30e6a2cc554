import Core
import Glibc
import SQLite
import Testing

@testable import Store

@Suite struct HistoryBackupTests {
    @Test func aLostHistoryLeavesItsTables() throws {
        let bench = try StoreBench.withHoursThatOnlyTheHistoryHolds()
        try bench.store.set("device.a", to: "balcony")
        try bench.live(1)
        try bench.store.checkpoint()
        let (runs, anchors) = try { try ($0.runs(), $0.anchors()) }(
            HistoryReader(path: bench.folder.database)
        )
        try bench.store.close()
        unlink(bench.folder.database)
        let again = try StoreBench.open(bench.ring, bench.folder)
        #expect(again.opening.history == .fresh)
        #expect(again.opening.losses.first?.contains("the history was gone") == true)
        #expect(try again.setting("device.a") == "balcony")
        #expect(again.opening.streams.map(\.device) == [DustSeries.stream.device])
        let reader = try HistoryReader(path: bench.folder.database)
        #expect(try reader.runs().first == runs.first)
        #expect(try reader.anchors() == anchors)
        try again.close()
    }

    @Test func theCopyOfTheTablesIsOnlyReadForWhatIsDamaged() throws {
        let bench = try StoreBench()
        try bench.live(3)
        try bench.store.set("mute.a", to: "always")
        try bench.store.checkpoint()
        try bench.store.set("mute.a", to: nil)
        try bench.store.close()
        // A page of another table.
        let page = try bench.page(of: "boots")
        try bench.damage(page - 1..<page)
        let again = try StoreBench.open(bench.ring, bench.folder)
        guard case .mended = again.opening.history else {
            Issue.record("\(again.opening.history)")
            return
        }
        #expect(try again.settings().isEmpty)
        #expect(try HistoryReader(path: bench.folder.database).all().count == 3 * 600)
        try again.close()
    }

    /// The id of a boot is gone from the history and from the copy: its samples stay together.
    @Test func aBootWhoseIdIsGoneKeepsItsSamples() throws {
        let bench = try StoreBench.withHoursThatOnlyTheHistoryHolds()
        try bench.store.close()
        let all = try HistoryReader(path: bench.folder.database).all().count
        let page = try bench.page(of: "boots")
        try bench.damage(page - 1..<page)
        unlink(bench.folder.database + HistorySchema.copySuffix)
        let again = try StoreBench.open(bench.ring, bench.folder)
        defer { try? again.close() }
        #expect(try HistoryReader(path: bench.folder.database).all().count == all)
    }

    @Test func aCopyThatCannotBeWrittenIsSaid() throws {
        let bench = try StoreBench()
        try bench.store.close()
        let path = bench.folder.database + HistorySchema.copySuffix
        unlink(path)
        mkdir(path, 0o755)
        let again = try StoreBench.open(bench.ring, bench.folder)
        #expect(again.takeStreamNews().copyTrouble?.contains("is no file") == true)
        rmdir(path)
        try again.checkpoint()
        #expect(again.takeStreamNews().copyTrouble == nil)
        try again.close()
    }
}
