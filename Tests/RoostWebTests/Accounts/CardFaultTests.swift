import ControlProtocol
import Glibc
import HTTPTypes
import SQLite
import TestSupport
import Testing

@testable import RoostWeb

/// A card that cannot be written while the dashboard runs: logging out works without it.
@Suite struct CardFaultTests {
    /// The errors of a card, as SQLite reports them.
    enum Fault: CaseIterable, Sendable {
        /// The file cannot grow.
        case full
        /// The file cannot be changed at all.
        case readOnly

        func begin(_ database: WebDatabase) async throws {
            try await database.run { connection in
                switch self {
                case .full:
                    let pages = try connection.pageCount()
                    try connection.setPragma("max_page_count", .integer(Int64(pages)))
                    // Nothing of the last pages is left for the next row.
                    var hasRoom = true
                    while hasRoom {
                        let sql = "INSERT INTO faces(key, value) VALUES (hex(randomblob(200)), 1)"
                        do { try connection.execute(sql) } catch { hasRoom = false }
                    }
                    hasRoom = true
                    while hasRoom {
                        let sql = "INSERT INTO audit(time, actor, action, target, address) "
                        do {
                            try connection.execute(sql + "VALUES (1, '', '', '', '')")
                        } catch { hasRoom = false }
                    }
                case .readOnly: try connection.setPragma("query_only", .integer(1))
                }
            }
        }

        func end(_ database: WebDatabase) async throws {
            try await database.run { connection in
                try connection.setPragma("query_only", .integer(0))
                try connection.setPragma("max_page_count", .integer(1 << 20))
            }
        }
    }

    @Test(arguments: Fault.allCases)
    func logOutWorks(fault: Fault) async throws {
        let stage = try AccountsStage()
        let phone = try await stage.claim()
        let codes = try await Self.logIn(stage)
        let tablet = try await Self.logIn(stage)
        try await fault.begin(stage.database)
        #expect(await stage.ask(.post, "/logout", "{}", as: codes).status == 204)
        #expect(await stage.ask(.get, "/me", as: codes).status == 401)
        #expect(await stage.ask(.get, "/me", as: phone).status == 200)
        #expect(await stage.ask(.post, "/logout-everywhere", "{}", as: tablet).status == 204)
        for browser in [phone, codes, tablet] {
            #expect(await stage.ask(.get, "/me", as: browser).status == 401)
        }
        // The card takes changes again: within a minute of the next request it has them, too.
        try await fault.end(stage.database)
        stage.time.pass(61)
        _ = await stage.ask(.get, "/me")
        #expect(stage.accounts.trouble == nil && !stage.accounts.isAheadOfCard)
        let later = try AccountsStage(folder: stage.folder, time: stage.time)
        #expect(later.accounts.roster.sessions.isEmpty)
    }

    @Test(arguments: Fault.allCases)
    func logInWorks(fault: Fault) async throws {
        let stage = try AccountsStage()
        let phone = try await stage.claim()
        try await fault.begin(stage.database)
        let codes = try await Self.logIn(stage)
        #expect(await stage.ask(.get, "/me", as: codes).status == 200)
        let sessions = await stage.ask(.get, "/sessions", as: codes).body
        #expect(sessions.components(of: #""isThis":"#) == 2)
        // The page names the next step.
        let trouble = try #require(stage.accounts.trouble)
        #expect(trouble.contains("web.db"))
        #expect(trouble.contains(fault == .full ? "df -h" : "writable"))
        let place = StationView.Place(name: "b", zone: "UTC", isSimulated: false)
        var view = StationView(.none, at: place)
        view.accounts = StationView.Accounts(trouble: trouble)
        #expect(try ControlCodec.line(view).contains(#""accounts":{"trouble":"#))
        // The session before ends, even if it is in memory only.
        let login = AccountsStage.logIn("anna@example.org")
        let again = await stage.ask(.post, "/login", login, as: codes)
        #expect(again.status == 200)
        #expect(await stage.ask(.get, "/me", as: codes).status == 401)
        let next = Browser(cookie: again.cookie)
        try await fault.end(stage.database)
        stage.time.pass(61)
        #expect(await stage.ask(.get, "/me", as: next).status == 200)
        #expect(stage.accounts.trouble == nil && !stage.accounts.isAheadOfCard)
        let later = try AccountsStage(folder: stage.folder, time: stage.time)
        for (browser, status) in [(phone, 200), (codes, 401), (next, 200)] {
            #expect(await later.ask(.get, "/me", as: browser).status == status)
        }
        #expect(later.accounts.roster.sessions.count == 2)
    }

    /// A change that needs the card is refused with the reason, and changes nothing.
    @Test func aNewPasswordNeedsTheCard() async throws {
        let stage = try AccountsStage()
        let phone = try await stage.claim()
        try await Fault.readOnly.begin(stage.database)
        let good = #"{"present":"\#(AccountsStage.password)","new":"nine-Kettles-hum"}"#
        let refused = await stage.ask(.post, "/password", good, as: phone)
        #expect(refused.status == 503)
        #expect(refused.text("detail")?.contains("writable") == true)
        try await Fault.readOnly.end(stage.database)
        let old = AccountsStage.logIn("anna@example.org")
        #expect(await stage.ask(.post, "/login", old).status == 200)
    }

    /// A full card still takes changes in place, as the journal has kept its room.
    @Test func theJournalKeepsItsRoom() async throws {
        let stage = try AccountsStage()
        _ = try await stage.claim()
        var status = stat()
        try #require(stat(stage.database.path + "-journal", &status) == 0)
        #expect(status.st_size >= 128 << 10 && status.st_mode & 0o777 == 0o600)
        let later = try AccountsStage(folder: stage.folder, time: stage.time)
        #expect(later.accounts.roster == stage.accounts.roster)
    }

    /// Changes in memory only are bounded, and no log-out among them is forgotten.
    @Test func whatTheCardLacksIsBounded() async throws {
        let stage = try AccountsStage()
        let phone = try await stage.claim()
        try await Fault.readOnly.begin(stage.database)
        for _ in 0..<40 {
            let codes = try await Self.logIn(stage)
            #expect(await stage.ask(.post, "/logout", "{}", as: codes).status == 204)
        }
        #expect(stage.accounts.roster.sessions.count == 1)
        var last = phone
        for _ in 0..<40 { last = try await Self.logIn(stage) }
        #expect(stage.accounts.roster.sessions.count == 1 + UnkeptSessions.begunMax)
        #expect(await stage.ask(.get, "/me", as: last).status == 200)
        #expect(await stage.ask(.get, "/me", as: phone).status == 200)
    }

    /// A row that exists already, or has another's number, blocks no later change.
    @Test(arguments: [true, false])
    func aKeptSessionIsWrittenOnce(isThere: Bool) async throws {
        let stage = try AccountsStage()
        let phone = try await stage.claim()
        try await Fault.readOnly.begin(stage.database)
        let codes = try await Self.logIn(stage)
        try await Fault.readOnly.end(stage.database)
        let newest = stage.accounts.roster.sessions.max { $0.value.id < $1.value.id }
        let session = try #require(newest?.value)
        let hash = try #require(isThere ? newest?.key : [UInt8](repeating: 2, count: 32))
        try await stage.database.run {
            try SessionTable(connection: $0).insert(session, hash: hash)
        }
        stage.time.pass(61)
        #expect(await stage.ask(.get, "/me", as: codes).status == 200)
        #expect(stage.accounts.trouble == nil && !stage.accounts.isAheadOfCard)
        let later = try AccountsStage(folder: stage.folder, time: stage.time)
        for browser in [phone, codes] {
            #expect(await later.ask(.get, "/me", as: browser).status == 200)
        }
        #expect(later.accounts.roster.sessions.count == (isThere ? 2 : 3))
    }

    /// A log-out that finds eight others waiting reaches the card within a minute, too.
    @Test func aLogOutThatFindsNoTurnIsWrittenLater() async throws {
        let stage = try AccountsStage()
        let phone = try await stage.claim()
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let (reading, writing) = (ends[0], ends[1])
        defer { for end in [reading, writing] { close(end) } }
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<21 {
                group.addTask {
                    do {
                        return try await stage.database.run { _ in
                            var byte: UInt8 = 0
                            return read(reading, &byte, 1) == 1
                        }
                    } catch {
                        return false
                    }
                }
            }
            var refused = 0
            while let isAdmitted = await group.next() {
                if isAdmitted { continue }
                refused += 1
                guard refused == 12 else { continue }
                // One runs, and eight wait.
                let status = await stage.ask(.post, "/logout", "{}", as: phone).status
                #expect(status == 204)
                #expect(stage.accounts.isAheadOfCard && stage.accounts.trouble == nil)
                write(writing, [UInt8](repeating: 0, count: 9), 9)
            }
            #expect(refused == 12)
        }
        #expect(await stage.ask(.get, "/me", as: phone).status == 401)
        stage.time.pass(61)
        _ = await stage.ask(.get, "/me")
        #expect(!stage.accounts.isAheadOfCard)
        let later = try AccountsStage(folder: stage.folder, time: stage.time)
        #expect(later.accounts.roster.sessions.isEmpty)
    }

    private static func logIn(_ stage: AccountsStage) async throws -> Browser {
        let answer = await stage.ask(.post, "/login", AccountsStage.logIn("anna@example.org"))
        try #require(answer.status == 200, "\(answer.body)")
        return Browser(cookie: answer.cookie)
    }
}
