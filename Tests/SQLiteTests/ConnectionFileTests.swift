import CSQLite
import Glibc
import TestSupport
import Testing

@testable import SQLite

@Suite struct ConnectionFileTests {
    @Test func opensReadOnlyAndImmutable() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/what?#%41.db"
            let writer = try Connection(path)
            try writer.execute("CREATE TABLE t(a)")
            try writer.execute("INSERT INTO t VALUES(7)")
            for mode in [Connection.Mode.readOnly, .immutable] {
                let reader = try Connection(path, mode: mode)
                let found: Int? = try reader.scalar("SELECT a FROM t")
                #expect(found == 7)
                let error = #expect(throws: SQLiteError.self) {
                    try reader.execute("DELETE FROM t")
                }
                #expect(error?.isReadOnly == true)
            }
        }
    }

    @Test func refusesAMissingFileUnlessToldToCreateIt() throws {
        try withTemporaryFolder { folder in
            for mode in [Connection.Mode.readWrite, .readOnly, .immutable] {
                let error = #expect(throws: SQLiteError.self) {
                    try Connection(folder + "/none.db", mode: mode)
                }
                #expect(error?.code == SQLITE_CANTOPEN)
            }
            _ = try Connection(folder + "/none.db")
        }
    }

    @Test func refusesAFileThatIsNoDatabase() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/notes.txt"
            let file = fopen(path, "w")
            fputs(String(repeating: "not a database at all. ", count: 50), file)
            fclose(file)
            let error = #expect(throws: SQLiteError.self) { try Connection(path) }
            #expect(error?.isCorrupt == true)
        }
    }

    @Test func tellsThatAnotherHoldsTheFile() throws {
        try withTemporaryFolder { folder in
            let first = try Connection(folder + "/a.db")
            try first.execute("CREATE TABLE t(a)")
            let second = try Connection(folder + "/a.db", busyTimeout: .zero)
            try first.transaction { () throws(SQLiteError) in
                let error = #expect(throws: SQLiteError.self) {
                    try second.transaction { () throws(SQLiteError) in }
                }
                #expect(error?.isBusy == true)
            }
            try second.transaction { () throws(SQLiteError) in }
        }
    }

    @Test func setsAndTellsPragmas() throws {
        try withTemporaryFolder { folder in
            let connection = try Connection(folder + "/a.db", cacheKibibytes: 64)
            try connection.setPageSize(8_192)
            try connection.setApplicationID(-5)
            try connection.setUserVersion(9)
            try connection.setSynchronous(.extra)
            try connection.setJournalMode(.truncate)
            try connection.execute("CREATE TABLE t(a)")
            #expect(try connection.pageSize() == 8_192)
            #expect(try connection.pageCount() == 2)
            #expect(try connection.applicationID() == -5)
            #expect(try connection.userVersion() == 9)
            #expect(try connection.journalMode() == .truncate)
            let cache: Int? = try connection.pragma("cache_size")
            let synchronous: Int? = try connection.pragma("synchronous")
            let map: Int? = try connection.pragma("mmap_size")
            #expect(cache == -64)
            #expect(synchronous == 3)
            #expect(map == 0)
            let memory = try Connection(":memory:")
            #expect(throws: SQLiteError.self) { try memory.setJournalMode(.wal) }
        }
    }

    @Test func backsUpWithProgressAndStopsWhenTold() throws {
        try withTemporaryFolder { folder in
            let connection = try Connection(folder + "/a.db")
            try connection.execute("CREATE TABLE t(a)")
            try connection.execute("INSERT INTO t VALUES(zeroblob(100000))")
            var steps: [BackupProgress] = []
            try connection.backup(to: folder + "/b.db", pagesPerStep: 10) {
                steps.append($0)
                return true
            }
            #expect(steps.first?.pagesDone == 10)
            #expect(steps.last.map { $0.pagesDone == $0.pageCount } == true)
            let copy = try Connection(folder + "/b.db", mode: .readOnly)
            let byteCount: Int? = try copy.scalar("SELECT length(a) FROM t")
            #expect(byteCount == 100_000)
            #expect(try copy.integrityCheck() == [])
            let error = #expect(throws: SQLiteError.self) {
                try connection.backup(to: folder + "/c.db", pagesPerStep: 1) { _ in false }
            }
            #expect(error?.isInterrupted == true)
        }
    }

    @Test func findsADamagedPage() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/a.db"
            let connection = try Connection(path)
            try connection.execute("CREATE TABLE t(a UNIQUE)")
            try connection.transaction { () throws(SQLiteError) in
                for number in 0..<2_000 {
                    try connection.execute("INSERT INTO t VALUES(?)", number)
                }
            }
            #expect(try connection.integrityCheck() == [])
            try connection.close()
            let file = fopen(path, "r+")
            fseek(file, 3 * 4_096, SEEK_SET)
            fputs("spilt coffee", file)
            fclose(file)
            let damaged = try Connection(path)
            #expect(try !damaged.integrityCheck().isEmpty)
        }
    }
}

/// Runs the closure with an empty folder that is gone afterwards.
func withTemporaryFolder(_ body: (String) throws -> Void) throws {
    let folder = try TestFolder()
    try withExtendedLifetime(folder) { try body(folder.path) }
}
