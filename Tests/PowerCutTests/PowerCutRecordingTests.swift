import HardwareIO
import SQLite
import Testing

@testable import PowerCut

@Suite struct PowerCutRecordingTests {
    @Test func recordsWhatSQLiteDoes() throws {
        let folder = try ScratchFolder()
        let recording = PowerCutRecording(folder: folder.path)
        let connection = try Connection(folder.path + "/a.db", vfs: PowerCutRecording.vfs)
        try connection.setPageSize(512)
        try connection.setSynchronous(.extra)
        try connection.execute("CREATE TABLE t(a)")
        recording.acknowledge(7)
        let words = recording.operations.map(\.description)
        let fileNames = words.filter { !$0.hasPrefix("write") }
        #expect(
            fileNames == [
                "create a.db", "create a.db-journal", "sync a.db-journal", "sync folder",
                "sync a.db-journal", "sync a.db", "delete a.db-journal", "sync folder",
                "acknowledge 7",
            ]
        )
        #expect(words.contains("write a.db 0+512"))
        #expect(words.contains("write a.db 512+512"))
        #expect(recording.triedCount == words.count - 1)
    }

    @Test func rebuildsTheFileFromTheRecording() throws {
        let (folder, copy) = (try ScratchFolder(), try ScratchFolder())
        let recording = PowerCutRecording(folder: folder.path)
        let connection = try Connection(folder.path + "/a.db", vfs: PowerCutRecording.vfs)
        try connection.setJournalMode(.wal)
        try connection.execute("CREATE TABLE t(a)")
        try connection.execute("INSERT INTO t VALUES(zeroblob(20000)), ('here')")
        try connection.execute("DELETE FROM t WHERE a != 'here'")
        try connection.execute("VACUUM")
        try connection.close()
        var card = Card([:], nameDurability: .afterFolderSync)
        for operation in recording.operations { card.apply(operation) }
        let files = card.survivors(.everything, at: 0)
        #expect(files.keys.sorted() == ["a.db"])
        try copy.fill(files)
        let copied = try Connection(copy.path + "/a.db", mode: .readOnly)
        let found: String? = try copied.scalar("SELECT a FROM t")
        #expect(found == "here")
        #expect(try copied.integrityCheck() == [])
    }

    @Test func leavesOtherFoldersAlone() throws {
        let (folder, other) = (try ScratchFolder(), try ScratchFolder())
        let recording = PowerCutRecording(folder: folder.path)
        recording.fail(.broken, from: 0)
        let connection = try Connection(other.path + "/a.db", vfs: PowerCutRecording.vfs)
        try connection.execute("CREATE TABLE t(a)")
        #expect(recording.operations == [])
        #expect(recording.triedCount == 0)
    }

    @Test func outlivesItsRecording() throws {
        let folder = try ScratchFolder()
        var recording: PowerCutRecording? = PowerCutRecording(folder: folder.path)
        let connection = try Connection(folder.path + "/a.db", vfs: PowerCutRecording.vfs)
        #expect(recording?.operations == [.create("a.db")])
        recording = nil
        try connection.execute("CREATE TABLE t(a)")
        try connection.close()
    }

    @Test(arguments: [
        (PowerCutFault.broken, 10 as Int32), (.full, 13), (.readOnly, 10),
    ])
    func refusesAsTheFaultSays(fault: PowerCutFault, code: Int32) throws {
        let folder = try ScratchFolder()
        let recording = PowerCutRecording(folder: folder.path)
        let connection = try Connection(folder.path + "/a.db", vfs: PowerCutRecording.vfs)
        try connection.execute("CREATE TABLE t(a)")
        recording.fail(fault, from: recording.triedCount + 1, count: 1)
        let error = #expect(throws: SQLiteError.self) {
            try connection.execute("INSERT INTO t VALUES(1)")
        }
        #expect(error?.code == code)
        try connection.execute("INSERT INTO t VALUES(2)")
        let found: Int? = try connection.scalar("SELECT group_concat(a) + 0 FROM t")
        #expect(found == 2)
    }

    @Test func recordsBlockFilesInTheSameOrder() throws {
        let folder = try ScratchFolder()
        let recording = PowerCutRecording(folder: folder.path)
        let path = folder.path + "/j.ring"
        let storage = try PowerCutBlockStorage(path: path, blockSize: 512, blockCount: 2)
        let block = [UInt8](repeating: 5, count: 512)
        try storage.write(1, block)
        try storage.sync()
        #expect(
            recording.operations == [
                .create("j.ring"),
                .write("j.ring", offset: 0, bytes: [UInt8](repeating: 0, count: 1_024)),
                .sync("j.ring"), .syncFolder, .write("j.ring", offset: 512, bytes: block),
                .sync("j.ring"),
            ]
        )
        let again = try PowerCutBlockStorage(path: path, blockSize: 512, blockCount: 2)
        #expect(try again.read(1) == block)
        recording.fail(.full, from: recording.triedCount)
        #expect(throws: StorageError.full(path: path)) { try storage.write(0, block) }
        recording.fail(.readOnly, from: recording.triedCount)
        #expect(throws: StorageError.readOnly(path: path)) { try storage.write(0, block) }
        recording.fail(.broken, from: recording.triedCount)
        #expect(throws: StorageError.failed(call: "fdatasync", errno: 5, path: path)) {
            try storage.sync()
        }
        #expect(try storage.read(0).allSatisfy { $0 == 0 })
    }
}
