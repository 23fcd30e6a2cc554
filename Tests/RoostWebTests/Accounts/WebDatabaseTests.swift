import ControlProtocol
import Glibc
import HTTPTypes
import SQLite
import TestSupport
import Testing

@testable import RoostWeb

@Suite struct WebDatabaseTests {
    @Test func makesAFileOfItsOwner() throws {
        let folder = try TestFolder()
        let state = folder.path("state")
        _ = try WebDatabase(folder: state)
        #expect(try Self.mode(state) == 0o700)
        #expect(try Self.mode(state + "/web.db") == 0o600)
    }

    @Test func namesTheFileAndTheNextStepWhenItIsDamaged() throws {
        let folder = try TestFolder()
        try Self.store([UInt8](repeating: 0x41, count: 8_192), at: folder.path("web.db"))
        let error = #expect(throws: WebDatabaseError.self) {
            _ = try WebDatabase(folder: folder.path)
        }
        let words = error?.description ?? ""
        #expect(words.hasPrefix(folder.path("web.db")))
        #expect(words.contains("damaged") && words.contains("roost claim"))
        // Nothing was made of it.
        #expect(try Self.bytes(folder.path("web.db")) == [UInt8](repeating: 0x41, count: 8_192))
    }

    @Test func noticesADamagedPage() async throws {
        let folder = try TestFolder()
        do {
            let stage = try AccountsStage(folder: folder)
            _ = try await stage.claim()
        }
        var bytes = try Self.bytes(folder.path("web.db"))
        for index in 4_096..<min(bytes.count, 8_192) { bytes[index] = 0x5A }
        try Self.store(bytes, at: folder.path("web.db"))
        #expect(throws: WebDatabaseError.self) { _ = try WebDatabase(folder: folder.path) }
        #expect(try Self.bytes(folder.path("web.db")) == bytes)
    }

    @Test func leavesANewerFileAlone() async throws {
        let folder = try TestFolder()
        do {
            let database = try WebDatabase(folder: folder.path)
            try await database.run {
                try $0.execute("INSERT INTO migrations VALUES ('9 wings', 2, '9')")
            }
        }
        let error = #expect(throws: WebDatabaseError.self) {
            _ = try WebDatabase(folder: folder.path)
        }
        #expect(error?.description.contains("newer version (9 wings)") == true)
    }

    /// A newer version was on trial, and the board went back to this one.
    @Test func aVersionBeforeFindsItsAccountsAgain() async throws {
        let folder = try TestFolder()
        do {
            let stage = try AccountsStage(folder: folder)
            _ = try await stage.claim()
        }
        do {
            let newer = try WebDatabase(folder: folder.path, migrations: Self.newer())
            #expect(!newer.isRestored)
            let wings: Int? = try newer.runNow { try $0.scalar("SELECT count(*) FROM wings") }
            #expect(wings == 0)
        }
        #expect(try Self.mode(folder.path("web.db.schema-4")) == 0o600)
        do {
            let stage = try AccountsStage(folder: folder)
            #expect(stage.database.isRestored)
            #expect(stage.accounts.roster.accounts.count == 1)
        }
        #expect(access(folder.path("web.db.newer"), F_OK) == 0)
        // It is in its place: the next start restores nothing, and the update may come again.
        #expect(try !WebDatabase(folder: folder.path).isRestored)
        let again = try WebDatabase(folder: folder.path, migrations: Self.newer())
        #expect(!again.isRestored)
        #expect(try again.runNow { try $0.scalar("SELECT count(*) FROM accounts") } == 1)
    }

    /// A way back restores nothing that the newer version revoked; other tokens go on.
    @Test func aWayBackBringsNothingBackThatWasRevoked() async throws {
        let folder = try TestFolder()
        do {
            let database = try WebDatabase(folder: folder.path)
            try database.runNow { connection in
                for name in ["anna", "bert"] {
                    try connection.execute(
                        """
                        INSERT INTO accounts(name, email, password, role, created)
                        VALUES (?, ? || '@x', 'old', 'owner', 0)
                        """,
                        name,
                        name
                    )
                }
                for (id, account) in [("kept", 1), ("revoked", 1), ("of bert", 2)] {
                    try connection.execute(
                        "INSERT INTO tokens VALUES (?, ?, 'n', 'read', x'00', 0, NULL, 9, 9)",
                        id,
                        account
                    )
                }
                try connection.execute(
                    """
                    INSERT INTO sessions(account, hash, created, last_used, agent, address)
                    VALUES (1, x'01', 0, 0, '', ''), (1, x'02', 0, 0, '', '')
                    """
                )
            }
        }
        do {
            let newer = try WebDatabase(folder: folder.path, migrations: Self.newer())
            try newer.runNow { connection in
                try connection.execute("DELETE FROM tokens WHERE id = 'revoked'")
                try connection.execute("DELETE FROM accounts WHERE name = 'bert'")
                try connection.execute("DELETE FROM sessions WHERE hash = x'02'")
                try connection.execute("UPDATE accounts SET password = 'new', role = 'viewer'")
                try connection.execute("UPDATE session_age SET count = 500")
            }
        }
        let database = try WebDatabase(folder: folder.path)
        let found: String? = try database.runNow { connection in
            try connection.scalar(
                """
                SELECT (SELECT group_concat(id) FROM tokens) || ' '
                    || (SELECT group_concat(hex(hash)) FROM sessions) || ' '
                    || (SELECT group_concat(name || password || role) FROM accounts) || ' '
                    || (SELECT CAST(count AS INTEGER) FROM session_age)
                """
            )
        }
        #expect(found == "kept 01 annanewviewer 500")
    }

    /// Tables of a newer version that cannot be compared leave only the accounts valid.
    @Test func aWayBackFromOtherTablesKeepsTheAccounts() async throws {
        let folder = try TestFolder()
        do {
            let stage = try AccountsStage(folder: folder)
            _ = try await stage.claim()
        }
        let other = Self.newer("ALTER TABLE tokens RENAME TO keys")
        do { _ = try WebDatabase(folder: folder.path, migrations: other) }
        let database = try WebDatabase(folder: folder.path)
        #expect(database.isRestored)
        let (accounts, sessions): (Int?, Int?) = try database.runNow { connection in
            (
                try connection.scalar("SELECT count(*) FROM accounts"),
                try connection.scalar("SELECT count(*) FROM sessions")
            )
        }
        #expect(accounts == 1 && sessions == 0)
    }

    /// A power cut between two steps of the change leaves a whole file, each way.
    @Test func aPowerCutWithinAChangeLeavesAWholeFile() throws {
        let folder = try TestFolder()
        let path = folder.path("web.db")
        do {
            let database = try WebDatabase(folder: folder.path)
            try database.runNow { try $0.execute("INSERT INTO faces VALUES ('mark', 7)") }
        }
        func mark(_ database: WebDatabase) throws -> Int? {
            try database.runNow { try $0.scalar("SELECT value FROM faces WHERE key = 'mark'") }
        }
        // Half a copy, and the second name of a file that is still in its place.
        try Self.store([UInt8](repeating: 0x41, count: 5_000), at: path + ".next")
        #expect(link(path, path + ".schema-4") == 0)
        do {
            let newer = try WebDatabase(folder: folder.path, migrations: Self.newer())
            #expect(try mark(newer) == 7)
        }
        try Self.store([UInt8](repeating: 0x41, count: 5_000), at: path + ".next")
        #expect(link(path, path + ".newer") == 0)
        do {
            let database = try WebDatabase(folder: folder.path)
            #expect(try database.isRestored && mark(database) == 7)
        }
        #expect(access(path + ".next", F_OK) != 0)
        #expect(access(path + ".schema-4", F_OK) != 0)
    }

    /// A step that fails leaves the file unchanged.
    @Test func aStepThatFailsLeavesTheFileAsItWas() throws {
        let folder = try TestFolder()
        do { _ = try WebDatabase(folder: folder.path) }
        #expect(throws: WebDatabaseError.self) {
            _ = try WebDatabase(folder: folder.path, migrations: Self.newer("DROP TABLE nothing"))
        }
        #expect(access(folder.path("web.db.next"), F_OK) != 0)
        #expect(try !WebDatabase(folder: folder.path).isRestored)
    }

    /// Without the names it would look as if there were no file of before.
    @Test func aFolderThatCannotBeReadIsSaid() throws {
        let folder = try TestFolder()
        let connection = try Connection(folder.path("web.db"))
        let path = folder.path("gone/web.db")
        let versions = WebDatabaseVersions(path: path, migrations: Self.newer())
        #expect(throws: SQLiteError.self) { try versions.goBack(connection) }
        try connection.close()
    }

    private static func newer(_ more: String = "") -> Migrations {
        WebSchema.migrations.adding([
            Migration("5 wings", sql: "CREATE TABLE wings(id INTEGER); \(more);")
        ])
    }

    @Test func saysThatThereIsNoFolder() {
        let error = #expect(throws: WebDatabaseError.self) {
            _ = try WebDatabase(folder: "/proc/roost-web")
        }
        #expect(error?.description.contains("--state") == true)
    }

    /// A change without room is refused; existing data stays and is served.
    @Test func losesNothingWhenTheCardIsFull() async throws {
        let stage = try AccountsStage()
        let anna = try await stage.claim()
        let before = stage.accounts.roster
        try await stage.database.run { connection in
            let pages = try connection.pageCount()
            try connection.setPragma("max_page_count", .integer(Int64(pages)))
        }
        var statuses: Set<Int> = []
        for number in 0..<400 {
            let body = #"{"name":"Anna \#(number)"}"#
            let answer = await stage.ask(.patch, "/me", body, as: anna)
            statuses.insert(answer.status)
            if answer.status == 503 {
                #expect(answer.text("type") == "/problems/store")
                #expect(answer.body.contains("web.db") && answer.body.contains("df -h"))
                break
            }
        }
        #expect(statuses.contains(503))
        #expect(await stage.ask(.get, "/me", as: anna).status == 200)
        let later = try AccountsStage(folder: stage.folder, time: stage.time)
        #expect(later.accounts.roster.accounts.keys == before.accounts.keys)
        #expect(await later.ask(.get, "/me", as: anna).status == 200)
    }

    /// One job runs, eight wait, further ones are refused at once.
    @Test func boundsWhatWaits() async throws {
        let stage = try AccountsStage()
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let (reading, writing) = (ends[0], ends[1])
        defer { for end in [reading, writing] { close(end) } }
        let (admitted, refused) = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<21 {
                group.addTask {
                    do {
                        return try await stage.database.run { _ in
                            var byte: UInt8 = 0
                            return read(reading, &byte, 1) == 1
                        }
                    } catch {
                        return (error as? Problem)?.kind != .busy
                    }
                }
            }
            var counts = (admitted: 0, refused: 0)
            while let isAdmitted = await group.next() {
                if isAdmitted { counts.admitted += 1 } else { counts.refused += 1 }
                // Only now the thread goes on.
                if counts == (0, 12) { write(writing, [UInt8](repeating: 0, count: 9), 9) }
            }
            return counts
        }
        #expect(admitted == 9 && refused == 12)
    }

    private static func mode(_ path: String) throws -> mode_t {
        var status = stat()
        try #require(stat(path, &status) == 0)
        return status.st_mode & 0o777
    }

    private static func bytes(_ path: String) throws -> [UInt8] {
        let file = try #require(fopen(path, "r"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = fread(&bytes, 1, bytes.count, file)
        return Array(bytes.prefix(count))
    }

    private static func store(_ bytes: [UInt8], at path: String) throws {
        let file = try #require(fopen(path, "w"))
        defer { fclose(file) }
        #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
    }
}
