import HTTPTypes
import SQLite
import Synchronization
import TestSupport
import Testing

@testable import RoostWeb

@Suite struct SessionAgeTests {
    private static let day: Int64 = 86_400

    /// A date that is set far ahead, or back, changes nothing.
    @Test func datesThatJumpEndNoSession() async throws {
        let stage = try AccountsStage()
        let anna = try await stage.claim()
        for jump in [4_000 * Self.day, -9_000 * Self.day] {
            stage.time.seconds.withLock { $0 += jump }
            #expect(await stage.ask(.get, "/me", as: anna).status == 200)
            let list = await stage.ask(.get, "/sessions", as: anna)
            #expect(list.body.contains(#""isThis":true"#))
        }
        stage.time.uptime.withLock { $0 += Double(30 * Self.day) }
        #expect(await stage.ask(.get, "/me", as: anna).status == 401)
    }

    /// Lets days pass with a visitor every six hours who has no session.
    private static func live(_ stage: AccountsStage, days: Int64) async {
        for _ in 0..<days * 4 {
            _ = await stage.ask(.get, "/me")
            stage.time.pass(day / 4)
        }
    }

    /// The machine is off for a month: that counts where the dates before and after are trusted.
    @Test(arguments: [(true, true, 401), (true, false, 200), (false, true, 200)])
    func timeWithoutPowerCountsBetweenTrustedDates(
        before: Bool,
        after: Bool,
        status: Int
    ) async throws {
        let stage = try AccountsStage()
        stage.house.isDateTrusted.withLock { $0 = before }
        let anna = try await stage.claim()
        await Self.live(stage, days: 4)
        #expect(await stage.ask(.get, "/me", as: anna).status == 200)
        let later = try stage.reboot(after: 31 * Self.day)
        later.house.isDateTrusted.withLock { $0 = after }
        #expect(await later.ask(.get, "/me").status == 401)
        await Self.live(later, days: 5)
        #expect(await later.ask(.get, "/me", as: anna).status == status)
    }

    /// A time server that is wrong for a day, from the start of the machine on, over another one.
    @Test(arguments: [366, -366] as [Int64])
    func aTrustedDayOfAWrongYearEndsNothing(days: Int64) async throws {
        var stage = try AccountsStage()
        stage.house.isDateTrusted.withLock { $0 = true }
        let anna = try await stage.claim()
        let form = #"{"name":"grafana","scopes":["read"],"days":60}"#
        let secret = await stage.ask(.post, "/tokens", form, as: anna).text("token")
        await Self.live(stage, days: 4)
        stage = try stage.reboot(after: days * Self.day)
        await Self.live(stage, days: 1)
        stage = try stage.reboot(after: 60)
        let browsers = [anna, Browser(token: secret)]
        for browser in browsers { #expect(await stage.ask(.get, "/me", as: browser).status == 200) }
        #expect(await stage.ask(.post, "/tokens", form, as: anna).status == 201)
        stage = try stage.reboot(after: -days * Self.day)
        await Self.live(stage, days: 8)
        for browser in browsers { #expect(await stage.ask(.get, "/me", as: browser).status == 200) }
    }

    /// Twenty days of running, a reboot, ten more: no date is needed to count those.
    @Test func countsTheRunningTimeOfEachBoot() async throws {
        let stage = try AccountsStage()
        let anna = try await stage.claim()
        stage.time.pass(20 * Self.day)
        #expect(await stage.ask(.get, "/me", as: anna).status == 200, "noted as used")
        stage.time.pass(20 * Self.day)
        _ = try await stage.accounts.newClaimCode()
        let later = try stage.reboot(after: 0)
        later.time.pass(9 * Self.day)
        #expect(await later.ask(.get, "/me", as: anna).status == 200)
        later.time.pass(31 * Self.day)
        #expect(await later.ask(.get, "/me", as: anna).status == 401)
    }

    /// A file of an earlier version: its sessions keep what its dates said of each other.
    @Test func carriesTheSessionsOfAnEarlierFile() async throws {
        let folder = try TestFolder()
        do {
            let stage = try AccountsStage(folder: folder)
            _ = try await stage.claim()
            stage.time.pass(40 * Self.day)
            let login = AccountsStage.logIn("anna@example.org")
            #expect(await stage.ask(.post, "/login", login).status == 200)
            try await stage.database.run { connection in
                try connection.executeScript(
                    """
                    INSERT INTO sessions(account, hash, created, last_used, agent, address)
                        SELECT account, x'01', created - 3456000, last_used - 3456000, '', ''
                        FROM sessions;
                    ALTER TABLE sessions DROP COLUMN born;
                    ALTER TABLE sessions DROP COLUMN used;
                    DROP TABLE session_age;
                    ALTER TABLE tokens DROP COLUMN ends;
                    ALTER TABLE invitations DROP COLUMN ends;
                    DELETE FROM migrations WHERE name IN ('3 session ages', '4 token ages');
                    """
                )
            }
        }
        let later = try AccountsStage(folder: folder)
        let sessions = later.accounts.roster.sessions.values.sorted { $0.id < $1.id }
        #expect(sessions.map(\.born) == [0, -40 * Self.day])
        #expect(sessions.map { $0.isValid(at: later.accounts.age) } == [true, false])
    }
}
