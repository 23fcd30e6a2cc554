import HTTPTypes
import Synchronization
import Testing

@testable import RoostWeb

@Suite struct AccountsTests {
    @Test func claimsOnceWithTheCodeAndLogsIn() async throws {
        let stage = try AccountsStage()
        let before = await stage.ask(.get, "/me")
        #expect(before.status == 401)
        #expect(before.text("type") == "/problems/unclaimed")

        let code = try await stage.accounts.newClaimCode()
        let answer = await stage.ask(.post, "/claim", AccountsStage.person("Anna", code: code))
        #expect(answer.status == 201)
        let field = answer.headers[.setCookie] ?? ""
        #expect(field.hasPrefix("roost_"))
        for part in ["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=15552000"] {
            #expect(field.contains("; \(part)"))
        }
        let anna = Browser(cookie: answer.cookie)
        let me = await stage.ask(.get, "/me", as: anna)
        #expect(me.status == 200)
        #expect(me.text("role") == "owner")
        #expect(me.body.contains(#""claimed":{"at":"2026-11-22T"#))
        let again = await stage.ask(.post, "/claim", AccountsStage.person("Eve", code: code))
        #expect(again.status == 409)
        stage.time.pass(86_400)
        #expect(await !stage.ask(.get, "/me", as: anna).body.contains("claimed"))
    }

    /// Nearness is the proof: five guesses, a quarter of an hour, one boot.
    @Test func limitsTheClaimCode() async throws {
        let stage = try AccountsStage()
        let wrong = AccountsStage.person("Eve", code: "0000-0000")
        #expect(await stage.ask(.post, "/claim", wrong).status == 410)
        let code = try await stage.accounts.newClaimCode()
        for left in [4, 3, 2, 1] {
            let answer = await stage.ask(.post, "/claim", wrong)
            #expect(answer.status == 400)
            #expect(answer.text("pointer") == "/code")
            #expect(answer.body.contains("\(left) tr"))
        }
        #expect(await stage.ask(.post, "/claim", wrong).status == 410)
        let right = AccountsStage.person("Anna", code: code)
        #expect(await stage.ask(.post, "/claim", right).status == 410)

        let second = try await stage.accounts.newClaimCode()
        stage.time.pass(901)
        let late = AccountsStage.person("Anna", code: second)
        #expect(await stage.ask(.post, "/claim", late).status == 410)
        let third = try await stage.accounts.newClaimCode().lowercased().replacing("-", with: " ")
        let typed = AccountsStage.person("Anna", code: third)
        #expect(await stage.ask(.post, "/claim", typed).status == 201)
    }

    /// A weak password costs no try of the code.
    @Test func namesAllMistakesOfAForm() async throws {
        let stage = try AccountsStage()
        _ = try await stage.accounts.newClaimCode()
        let form = #"{"code":"X","name":" ","email":"anna","password":"password1234"}"#
        let answer = await stage.ask(.post, "/claim", form)
        #expect(answer.status == 400)
        for pointer in ["/name", "/email", "/password"] {
            #expect(answer.body.contains(#""pointer":"\#(pointer)""#))
        }
        let left = await stage.ask(.post, "/claim", AccountsStage.person("Anna", code: "X"))
        #expect(left.body.contains("4 tries left"))
    }

    @Test func refusesTheCookieAfterLogOut() async throws {
        let stage = try AccountsStage()
        let anna = try await stage.claim()
        let out = await stage.ask(.post, "/logout", "{}", as: anna)
        #expect(out.status == 204)
        #expect(out.headers[.setCookie]?.contains("Max-Age=0") == true)
        let site = try #require(HTTPField.Name("Clear-Site-Data"))
        #expect(out.headers[site] == #""cache", "storage""#)
        let back = await stage.ask(.get, "/me", as: anna)
        #expect(back.status == 401)
        #expect(back.text("type") == "/problems/unauthenticated")
        // Logging out also works without a session.
        #expect(await stage.ask(.post, "/logout", "{}").status == 204)
    }

    @Test func makesANewSessionAtEachLogIn() async throws {
        let stage = try AccountsStage()
        let first = try await stage.claim()
        let login = AccountsStage.logIn("ANNA@example.org ")
        let answer = await stage.ask(.post, "/login", login, as: first)
        #expect(answer.status == 200)
        let second = Browser(cookie: answer.cookie)
        #expect(second.cookie != first.cookie)
        #expect(await stage.ask(.get, "/me", as: first).status == 401)
        #expect(await stage.ask(.get, "/me", as: second).status == 200)
    }

    /// Unknown address and wrong password answer alike, after the same work.
    @Test func doesNotTellAddressesApart() async throws {
        let stage = try AccountsStage()
        _ = try await stage.claim()
        let unknown = await stage.ask(.post, "/login", AccountsStage.logIn("eve@example.org"))
        let wrong = await stage.ask(.post, "/login", AccountsStage.logIn("anna@example.org", "no"))
        #expect(unknown.status == 401 && wrong.status == 401)
        #expect(unknown.body == wrong.body)
        #expect(unknown.text("detail") == "Wrong email or password")
        let kept = stage.time.verifications.withLock { $0 }
        #expect(kept == [PasswordHash.ofNobody, "plain:" + AccountsStage.password])
    }

    @Test func slowsGuessesDownAndNeverLocks() async throws {
        let stage = try AccountsStage()
        _ = try await stage.claim()
        let wrong = AccountsStage.logIn("anna@example.org", "no")
        for number in 0..<8 {
            let browser = Browser(address: "192.168.1.\(20 + number / 4)")
            #expect(await stage.ask(.post, "/login", wrong, as: browser).status == 401)
        }
        #expect(stage.time.pauses.withLock { $0 } == [1, 2, 4, 8, 8])
        let right = AccountsStage.logIn("anna@example.org")
        #expect(await stage.ask(.post, "/login", right).status == 200)
        #expect(stage.time.pauses.withLock { $0.last } == 8)
        #expect(await stage.ask(.post, "/login", right).status == 200)
        #expect(stage.time.pauses.withLock { $0.count } == 6)
    }

    @Test func allowsTenTriesInTenMinutesAnAddress() async throws {
        let stage = try AccountsStage()
        _ = try await stage.claim()
        let eve = Browser(address: "192.168.1.66")
        for number in 0..<10 {
            let guess = AccountsStage.logIn("p\(number)@example.org", "no")
            #expect(await stage.ask(.post, "/login", guess, as: eve).status == 401)
        }
        let refused = await stage.ask(.post, "/login", AccountsStage.logIn("a@b.c"), as: eve)
        #expect(refused.status == 429)
        #expect(refused.headers[.retryAfter] == "600")
        stage.time.pass(600)
        #expect(
            await stage.ask(.post, "/login", AccountsStage.logIn("a@b.c"), as: eve).status == 401
        )
    }

    /// Many addresses of a guesser use up the hour's tries; the owner's own address can still log
    /// in.
    @Test func keepsTheOwnersAddressOpen() async throws {
        let stage = try AccountsStage()
        _ = try await stage.claim()
        for number in 0..<60 {
            let guess = AccountsStage.logIn("p\(number)@example.org", "no")
            let eve = Browser(address: "192.168.2.\(number)")
            #expect(await stage.ask(.post, "/login", guess, as: eve).status == 401)
        }
        let login = AccountsStage.logIn("anna@example.org")
        let stranger = Browser(address: "192.168.3.1")
        // The account's remaining try in this minute.
        let wrong = AccountsStage.logIn("anna@example.org", "no")
        #expect(await stage.ask(.post, "/login", wrong, as: stranger).status == 401)
        #expect(await stage.ask(.post, "/login", login, as: stranger).status == 429)
        #expect(await stage.ask(.post, "/login", login).status == 200)
    }

    @Test func asksThePresentPasswordAndEndsOtherSessions() async throws {
        let stage = try AccountsStage()
        let phone = try await stage.claim()
        let login = await stage.ask(.post, "/login", AccountsStage.logIn("anna@example.org"))
        let codes = Browser(cookie: login.cookie)
        let wrong = #"{"present":"no","new":"nine-Kettles-hum"}"#
        let refused = await stage.ask(.post, "/password", wrong, as: codes)
        #expect(refused.status == 403)
        #expect(refused.text("pointer") == "/present")
        let weak = #"{"present":"\#(AccountsStage.password)","new":"password1234"}"#
        let poor = await stage.ask(.post, "/password", weak, as: codes)
        #expect(poor.status == 400)
        #expect(poor.text("pointer") == "/new")
        let good = #"{"present":"\#(AccountsStage.password)","new":"nine-Kettles-hum"}"#
        #expect(await stage.ask(.post, "/password", good, as: codes).status == 204)
        #expect(await stage.ask(.get, "/me", as: phone).status == 401)
        #expect(await stage.ask(.get, "/me", as: codes).status == 200)
        let old = AccountsStage.logIn("anna@example.org")
        #expect(await stage.ask(.post, "/login", old).status == 401)
        let new = AccountsStage.logIn("anna@example.org", "nine-Kettles-hum")
        #expect(await stage.ask(.post, "/login", new).status == 200)
    }

    @Test func endsSessionsThatAreIdleOrOld() async throws {
        let stage = try AccountsStage()
        let anna = try await stage.claim()
        stage.time.pass(29 * 86_400)
        #expect(await stage.ask(.get, "/me", as: anna).status == 200)
        stage.time.pass(29 * 86_400)
        #expect(await stage.ask(.get, "/me", as: anna).status == 200)
        stage.time.pass(30 * 86_400)
        #expect(await stage.ask(.get, "/me", as: anna).status == 401)

        let login = await stage.ask(.post, "/login", AccountsStage.logIn("anna@example.org"))
        let codes = Browser(cookie: login.cookie)
        for day in 1..<180 {
            stage.time.pass(86_400)
            #expect(await stage.ask(.get, "/me", as: codes).status == 200, "day \(day)")
        }
        stage.time.pass(86_400)
        #expect(await stage.ask(.get, "/me", as: codes).status == 401)
    }

    @Test func listsAndEndsSessionsAndEvictsTheOldest() async throws {
        let stage = try AccountsStage()
        let first = try await stage.claim()
        var browsers: [Browser] = []
        for _ in 0..<16 {
            stage.time.pass(1)
            let login = await stage.ask(.post, "/login", AccountsStage.logIn("anna@example.org"))
            browsers.append(Browser(cookie: login.cookie))
        }
        #expect(await stage.ask(.get, "/me", as: first).status == 401)
        let list = await stage.ask(.get, "/sessions", as: browsers[15])
        #expect(list.body.components(of: #""isThis":"#) == 16)
        #expect(list.body.components(of: #""isThis":true"#) == 1)
        let oldest = try #require(stage.accounts.roster.sessions.values.map(\.id).min())
        #expect(await stage.ask(.delete, "/sessions/\(oldest)", as: browsers[15]).status == 204)
        #expect(await stage.ask(.get, "/me", as: browsers[0]).status == 401)
        #expect(await stage.ask(.delete, "/sessions/\(oldest)", as: browsers[15]).status == 404)
        #expect(await stage.ask(.delete, "/sessions/x", as: browsers[15]).status == 404)
        #expect(await stage.ask(.post, "/logout-everywhere", "{}", as: browsers[15]).status == 204)
        #expect(stage.accounts.roster.sessions.isEmpty)
    }

    @Test func keepsEverythingThroughARestart() async throws {
        let stage = try AccountsStage()
        let anna = try await stage.claim()
        let code = try await stage.accounts.newClaimCode()
        let later = try AccountsStage(folder: stage.folder, time: stage.time)
        #expect(await later.ask(.get, "/me", as: anna).status == 200)
        #expect(later.accounts.roster == stage.accounts.roster)
        // A code too, but not beyond the owner.
        let claim = AccountsStage.person("Eve", code: code)
        #expect(await later.ask(.post, "/claim", claim).status == 409)
    }

    @Test func startsOverOnReset() async throws {
        let stage = try AccountsStage()
        let anna = try await stage.claim()
        _ = try await stage.signUp("Ben", .member, by: anna)
        #expect(try await stage.accounts.reset() == 2)
        #expect(await stage.ask(.get, "/me", as: anna).text("type") == "/problems/unclaimed")
        let again = try await stage.claim()
        #expect(await stage.ask(.get, "/me", as: again).status == 200)
        #expect(await stage.ask(.get, "/audit", as: again).body.contains("reset"))
    }
}

extension String {
    /// Counts the occurrences of a text.
    func components(of text: String) -> Int { ranges(of: text).count }
}
