import HTTPTypes
import Testing

@testable import RoostWeb

/// Guessers on the network and the owner at a new device have no common budget.
@Suite struct LoginReserveTests {
    private static func guess(_ stage: AccountsStage) async {
        let wrong = AccountsStage.logIn("anna@example.org", "no")
        for number in 0..<60 {
            let eve = Browser(address: "192.168.2.\(number / 10)")
            #expect(await stage.ask(.post, "/login", wrong, as: eve).status == 401)
        }
    }

    @Test func sixtyWrongPasswordsKeepTheOwnerOutOfNoNewDevice() async throws {
        let stage = try AccountsStage()
        _ = try await stage.claim()
        await Self.guess(stage)
        let phone = Browser(address: "192.168.3.1")
        let right = AccountsStage.logIn("anna@example.org")
        #expect(await stage.ask(.post, "/login", right, as: phone).status == 200)
        // Again and again: ten minutes later the guessers' addresses may try once more.
        stage.time.pass(600)
        let wrong = AccountsStage.logIn("anna@example.org", "no")
        for number in 0..<60 {
            let eve = Browser(address: "192.168.2.\(number / 10)")
            let answer = await stage.ask(.post, "/login", wrong, as: eve)
            #expect(answer.status == 429, "\(number)")
        }
        let tablet = Browser(address: "192.168.3.2")
        #expect(await stage.ask(.post, "/login", right, as: tablet).status == 200)
    }

    /// Each account keeps a try a minute, of which an address gets few.
    @Test func theReserveIsATryAMinute() async throws {
        let stage = try AccountsStage()
        _ = try await stage.claim()
        await Self.guess(stage)
        let wrong = AccountsStage.logIn("anna@example.org", "no")
        for number in 0..<6 {
            let eve = Browser(address: "192.168.4.\(number / 3)")
            #expect(await stage.ask(.post, "/login", wrong, as: eve).status == 401)
            let other = Browser(address: "192.168.5.\(number)")
            let refused = await stage.ask(.post, "/login", wrong, as: other)
            #expect(refused.status == 429)
            #expect(refused.headers[.retryAfter] == "60")
            stage.time.pass(60)
        }
        // Its three are used up; the hour is not over.
        let eve = Browser(address: "192.168.4.0")
        #expect(await stage.ask(.post, "/login", wrong, as: eve).status == 429)
    }

    /// An unknown address has the same reserve, so a guesser learns nothing.
    @Test func unknownAccountsAnswerAlike() async throws {
        let stage = try AccountsStage()
        _ = try await stage.claim()
        await Self.guess(stage)
        let phone = Browser(address: "192.168.3.1")
        let known = AccountsStage.logIn("anna@example.org", "no")
        let unknown = AccountsStage.logIn("eve@example.org", "no")
        #expect(await stage.ask(.post, "/login", known, as: phone).status == 401)
        #expect(await stage.ask(.post, "/login", unknown, as: phone).status == 401)
        #expect(await stage.ask(.post, "/login", known, as: phone).status == 429)
        #expect(await stage.ask(.post, "/login", unknown, as: phone).status == 429)
    }
}
