import HTTPTypes
import SQLite
import Synchronization
import TestSupport
import Testing

@testable import RoostWeb

/// Tokens and invitations age as sessions do: a date that is wrong ends none, and lets none in.
@Suite struct TokenAgeTests {
    private static let day: Int64 = 86_400
    private static let form = #"{"name":"grafana","scopes":["read"],"days":30}"#

    private static func token(_ stage: AccountsStage, _ anna: Browser) async throws -> Browser {
        let made = await stage.ask(.post, "/tokens", form, as: anna)
        let secret: String = try #require(made.text("token"))
        return Browser(token: secret)
    }

    private static func invitation(_ stage: AccountsStage, _ anna: Browser) async -> String {
        let form = #"{"role":"viewer","days":7}"#
        return await stage.ask(.post, "/invitations", form, as: anna).text("code") ?? ""
    }

    /// A new token and a new invitation of that day clear the old ones away.
    @Test(arguments: [366, -366] as [Int64])
    func aWrongDayEndsNoTokenAndNoInvitation(days: Int64) async throws {
        let stage = try AccountsStage()
        let anna = try await stage.claim()
        let program = try await Self.token(stage, anna)
        let code = await Self.invitation(stage, anna)
        stage.time.seconds.withLock { $0 += days * Self.day }
        stage.time.pass(Self.day / 2)
        #expect(await stage.ask(.get, "/me", as: program).status == 200)
        let other = try await Self.token(stage, anna)
        _ = await Self.invitation(stage, anna)
        stage.time.pass(Self.day / 2)
        stage.time.seconds.withLock { $0 -= days * Self.day }
        for browser in [program, other] {
            #expect(await stage.ask(.get, "/me", as: browser).status == 200)
        }
        let list = await stage.ask(.get, "/invitations", as: anna).body
        #expect(list.split(separator: "\"id\"").count == 3, "\(list)")
        let ben = AccountsStage.person("Ben")
        #expect(await stage.ask(.post, "/invitations/\(code)", ben).status == 201)
    }

    /// Expired tokens and invitations stay expired when the clock goes back before their last day.
    @Test func aClockThatGoesBackLetsNothingInAgain() async throws {
        let stage = try AccountsStage()
        let anna = try await stage.claim()
        let program = try await Self.token(stage, anna)
        let code = await Self.invitation(stage, anna)
        stage.time.pass(29 * Self.day)
        #expect(await stage.ask(.get, "/me", as: anna).status == 200)
        #expect(await stage.ask(.get, "/me", as: program).status == 200)
        stage.time.pass(Self.day)
        stage.time.seconds.withLock { $0 -= 60 * Self.day }
        #expect(await stage.ask(.get, "/me", as: program).status == 401)
        let ben = AccountsStage.person("Ben")
        #expect(await stage.ask(.post, "/invitations/\(code)", ben).status == 410)
    }

    /// Tokens in a file of an earlier version keep the time left by their dates.
    @Test func carriesTheTokensOfAnEarlierFile() async throws {
        let folder = try TestFolder()
        let time = StageTime()
        let browsers: (Browser, Browser)
        do {
            let stage = try AccountsStage(folder: folder, time: time)
            let anna = try await stage.claim()
            browsers = (anna, try await Self.token(stage, anna))
            time.pass(20 * Self.day)
            _ = await Self.invitation(stage, anna)
            try await Self.takeBackStepFour(stage)
        }
        let later = try AccountsStage(folder: folder, time: time)
        #expect(await later.ask(.get, "/me", as: browsers.1).status == 200)
        let list = await later.ask(.get, "/invitations", as: browsers.0).body
        #expect(list.contains(AccountText.date(time.clock.seconds() + 7 * Self.day)), "\(list)")
        time.pass(10 * Self.day)
        #expect(await later.ask(.get, "/me", as: browsers.1).status == 401)
        #expect(await later.ask(.get, "/invitations", as: browsers.0).body == #"{"items":[]}"#)
    }

    /// Tokens that had expired in an earlier file stay expired.
    ///
    /// A last use and a trusted date continue the age, while the newest line of the audit is older.
    @Test(arguments: [true, false])
    func endsTheTokensOfAnEarlierFile(isSessionUsed: Bool) async throws {
        let folder = try TestFolder()
        let time = StageTime()
        let program: Browser
        let code: String
        do {
            let stage = try AccountsStage(folder: folder, time: time)
            stage.house.isDateTrusted.withLock { $0 = !isSessionUsed }
            let anna = try await stage.claim()
            code = await Self.invitation(stage, anna)
            program = try await Self.token(stage, anna)
            for _ in 0..<4 {
                time.pass(25 * Self.day)
                let browser = isSessionUsed ? anna : Browser()
                let status = await stage.ask(.get, "/me", as: browser).status
                #expect(status == (isSessionUsed ? 200 : 401))
            }
            try await Self.takeBackStepFour(stage)
        }
        let later = try AccountsStage(folder: folder, time: time)
        #expect(later.accounts.age >= 100 * Self.day)
        #expect(await later.ask(.get, "/me", as: program).status == 401)
        let ben = AccountsStage.person("Ben")
        #expect(await later.ask(.post, "/invitations/\(code)", ben).status == 410)
    }

    /// Leaves the file as a version of step 3 had it.
    private static func takeBackStepFour(_ stage: AccountsStage) async throws {
        try await stage.database.run { connection in
            try connection.executeScript(
                """
                ALTER TABLE tokens DROP COLUMN ends;
                ALTER TABLE invitations DROP COLUMN ends;
                ALTER TABLE session_age DROP COLUMN birth;
                ALTER TABLE session_age DROP COLUMN low;
                ALTER TABLE session_age DROP COLUMN high;
                ALTER TABLE session_age DROP COLUMN since;
                DELETE FROM migrations WHERE name = '4 token ages';
                """
            )
        }
    }
}
