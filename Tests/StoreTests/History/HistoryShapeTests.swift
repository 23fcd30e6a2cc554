import Core
import FoundationEssentials
import Glibc
import SQLite
import Testing

@testable import Store

@Suite struct HistoryShapeTests {
    private let folder = HistoryFolder()
    private var spare: HistoryBackup { HistoryBackup(beside: folder.database, vfs: nil) }

    /// Makes a history, with its copy where that is asked for.
    private func make(_ megabytes: Int, isCopied: Bool = true) throws -> StorePlan.Shape {
        let plan = StorePlan(.megabytes(megabytes))
        let history = try HistoryFile.open(path: folder.database, plan: plan).0
        let snapshot = try CatalogSnapshot()
        snapshot.refresh(history.connection)
        if isCopied { #expect(spare.write(snapshot, history.shape) == nil) }
        try history.close()
        return history.shape
    }

    /// The shape that a history gets in the place of the damaged one.
    private func found() -> StorePlan.Shape? {
        HistoryShape.find(folder.database, spare.path, vfs: nil)
    }

    private func change(_ path: String, _ sql: String) throws {
        let connection = try Connection(path)
        try connection.executeScript(sql)
        try connection.close()
    }

    @Test(arguments: [4, 5, 17, 64, 100])
    func slotsAndPlacesAreThoseOfTheDamagedHistory(_ megabytes: Int) throws {
        let made = try make(megabytes)
        let plan = StorePlan(.megabytes(megabytes))
        #expect(made.streamCount == plan.streamCount)
        for ring in HistoryRing.allCases {
            #expect(made.slotCounts[ring] == plan.slotCount(of: ring))
        }
        #expect(found() == made)
        var sized = StorePlan(.megabytes(300))
        sized.shape = found()
        #expect(sized.streamCount == made.streamCount)
        #expect(sized.slotCount(of: .minutes) == made.slotCounts[.minutes])
        // Without the copy its tables show them.
        try FileManager.default.removeItem(atPath: spare.path)
        #expect(found() == made)
    }

    @Test func theCopyHasThemWhenNothingElseIsLeft() throws {
        let made = try make(5)
        truncate(folder.database, off_t(folder.databaseByteCount * 9 / 10))
        #expect(HistoryShape.counted(in: folder.database) == nil)
        #expect(found() == made)
        truncate(folder.database, 0)
        #expect(found() == made)
        unlink(folder.database)
        #expect(found() == made)
    }

    /// One bit of the header once asked for 8 GiB in the place of 4 MiB.
    @Test func aFieldOfADamagedHistoryIsNotBelieved() throws {
        _ = try make(4, isCopied: false)
        var bytes = try [UInt8](Data(contentsOf: URL(filePath: folder.database)))
        bytes[28] ^= 0x20
        try Data(bytes).write(to: URL(filePath: folder.database))
        #expect(found() == nil)
        bytes[28] ^= 0x20
        try Data(bytes).write(to: URL(filePath: folder.database))
        #expect(found() != nil)
        try change(folder.database, "INSERT INTO samples VALUES(2000000, '')")
        #expect(found() == nil)
    }

    @Test(arguments: [
        "UPDATE numbers SET value = 129 WHERE name = 'places of streams'",
        "DELETE FROM numbers WHERE name = 'slots of samples'",
        "DROP TABLE cursors",
    ])
    func aCopyThatFailsItsCheckIsNotBelieved(_ sql: String) throws {
        _ = try make(4)
        #expect(HistoryShape.written(in: spare.path, vfs: nil) != nil)
        try change(spare.path, sql)
        #expect(HistoryShape.written(in: spare.path, vfs: nil) == nil)
    }

    /// The copy of a version that did not write the numbers gets them at the next opening.
    @Test func anOlderCopyGetsThem() throws {
        let bench = try StoreBench()
        try bench.store.close()
        let spare = HistoryBackup(beside: bench.folder.database, vfs: nil)
        let made = try #require(HistoryShape.written(in: spare.path, vfs: nil))
        let numbers = "DELETE FROM numbers WHERE name LIKE '% of %'; PRAGMA user_version = 7"
        try change(spare.path, numbers)
        #expect(HistoryShape.written(in: spare.path, vfs: nil) == nil)
        try bench.reopen()
        #expect(HistoryShape.written(in: spare.path, vfs: nil) == made)
    }
}
