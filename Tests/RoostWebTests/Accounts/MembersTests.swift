import FoundationEssentials
import HTTPTypes
import Testing

@testable import RoostWeb

@Suite struct MembersTests {
    @Test func signsUpByInvitationOnce() async throws {
        let stage = try AccountsStage()
        let anna = try await stage.claim()
        let invitation = await stage.ask(.post, "/invitations", #"{"role":"member"}"#, as: anna)
        #expect(invitation.status == 201)
        let code = try #require(invitation.text("code"))
        #expect(code.count == 19)
        let taken = await stage.ask(.post, "/invitations/\(code)", AccountsStage.person("Anna"))
        #expect(taken.status == 409)
        #expect(taken.text("pointer") == "/email")
        let ben = await stage.ask(.post, "/invitations/\(code)", AccountsStage.person("Ben"))
        #expect(ben.status == 201)
        #expect(ben.text("role") == "member")
        let again = await stage.ask(.post, "/invitations/\(code)", AccountsStage.person("Eve"))
        #expect(again.status == 410)
        let me = await stage.ask(.get, "/me", as: Browser(cookie: ben.cookie))
        #expect(me.text("name") == "Ben")
    }

    @Test func endsInvitations() async throws {
        let stage = try AccountsStage()
        let anna = try await stage.claim()
        let body = #"{"role":"viewer","days":1}"#
        let late = await stage.ask(.post, "/invitations", body, as: anna).text("code") ?? ""
        stage.time.pass(86_400)
        let eve = AccountsStage.person("Eve")
        #expect(await stage.ask(.post, "/invitations/\(late)", eve).status == 410)
        #expect(await stage.ask(.get, "/invitations", as: anna).body == #"{"items":[]}"#)
        let code = await stage.ask(.post, "/invitations", body, as: anna).text("code") ?? ""
        let id = await stage.ask(.get, "/invitations", as: anna).text("id") ?? ""
        #expect(await stage.ask(.delete, "/invitations/\(id)", as: anna).status == 204)
        #expect(await stage.ask(.post, "/invitations/\(code)", eve).status == 410)
        for _ in 0..<16 {
            #expect(await stage.ask(.post, "/invitations", body, as: anna).status == 201)
        }
        #expect(await stage.ask(.post, "/invitations", body, as: anna).status == 409)
        let bad = #"{"role":"king"}"#
        #expect(await stage.ask(.post, "/invitations", bad, as: anna).status == 400)
    }

    @Test func keepsTheLastOwner() async throws {
        let stage = try AccountsStage()
        let anna = try await stage.claim()
        let ben = try await stage.signUp("Ben", .viewer, by: anna)
        let viewer = #"{"role":"viewer"}"#
        #expect(await stage.ask(.patch, "/members/1", viewer, as: anna).status == 409)
        #expect(await stage.ask(.delete, "/members/1", as: anna).status == 409)
        #expect(await stage.ask(.get, "/members", as: ben).status == 403)
        let owner = #"{"role":"owner"}"#
        #expect(await stage.ask(.patch, "/members/2", owner, as: anna).status == 204)
        // The new role counts at once, in the open session.
        #expect(await stage.ask(.get, "/members", as: ben).status == 200)
        #expect(await stage.ask(.delete, "/members/1", as: ben).status == 204)
        #expect(await stage.ask(.get, "/me", as: anna).status == 401)
        #expect(await stage.ask(.delete, "/members/1", as: ben).status == 404)
    }

    @Test func boundsAccounts() async throws {
        let stage = try AccountsStage()
        let anna = try await stage.claim()
        for number in 2...32 { _ = try await stage.signUp("P\(number)", .viewer, by: anna) }
        let code =
            await stage.ask(.post, "/invitations", #"{"role":"viewer"}"#, as: anna)
            .text("code") ?? ""
        let full = await stage.ask(.post, "/invitations/\(code)", AccountsStage.person("Eve"))
        #expect(full.status == 409)
        #expect(stage.accounts.roster.accounts.count == 32)
    }

    @Test func changesWhatAPersonSaysOfThemselves() async throws {
        let stage = try AccountsStage()
        let anna = try await stage.claim()
        let change = """
            {"name":"Anna B.","location":"Meran","language":"it",
            "preferences":{"theme":"dark","cards":3,"hints":false}}
            """
        let me = await stage.ask(.patch, "/me", change, as: anna)
        #expect(me.status == 200)
        #expect(me.text("name") == "Anna B." && me.text("location") == "Meran")
        #expect(
            me.body.contains(
                #""preferences":{"cards":3,"hints":false,"language":"it","theme":"dark"}"#
            )
        )
        let less = #"{"location":"","preferences":{"theme":null,"cards":null,"hints":null}}"#
        let after = await stage.ask(.patch, "/me", less, as: anna)
        #expect(after.body.contains(#""preferences":{"language":"it"}"#))
        #expect(after.body.contains(#""location":null"#))
        #expect(await stage.ask(.get, "/me", as: anna).body == after.body)

        _ = try await stage.signUp("Ben", .viewer, by: anna)
        let taken = await stage.ask(.patch, "/me", #"{"email":"BEN@example.org"}"#, as: anna)
        #expect(taken.status == 409)
        let long = String(repeating: "x", count: 2_048)
        let large = await stage.ask(.patch, "/me", #"{"preferences":{"a":"\#(long)"}}"#, as: anna)
        #expect(large.status == 400)
        let nested = await stage.ask(.patch, "/me", #"{"preferences":{"a":{"b":1}}}"#, as: anna)
        #expect(nested.status == 400)
    }

    @Test func letsProgramsInByToken() async throws {
        let stage = try AccountsStage()
        let anna = try await stage.claim()
        let form = #"{"name":"grafana","scopes":["read"],"days":30}"#
        let made = await stage.ask(.post, "/tokens", form, as: anna)
        #expect(made.status == 201)
        let secret = try #require(made.text("token"))
        #expect(secret.hasPrefix("rst_") && secret.count == 4 + 8 + 1 + 43)
        #expect(await !stage.ask(.get, "/tokens", as: anna).body.contains(secret.suffix(43)))
        let program = Browser(token: secret)
        #expect(await stage.ask(.get, "/me", as: program).status == 200)
        // Its scope is to read, and no token manages accounts.
        #expect(await stage.ask(.patch, "/me", #"{"name":"x"}"#, as: program).status == 403)
        #expect(await stage.ask(.get, "/tokens", as: program).status == 403)
        let wrong = Browser(token: secret.dropLast() + "!")
        let refused = await stage.ask(.get, "/me", as: wrong)
        #expect(refused.status == 401)
        #expect(refused.headers[.wwwAuthenticate] == "Bearer")
        stage.time.pass(30 * 86_400)
        #expect(await stage.ask(.get, "/me", as: program).status == 401)
    }

    @Test func endsTokens() async throws {
        let stage = try AccountsStage()
        let anna = try await stage.claim()
        let ben = try await stage.signUp("Ben", .member, by: anna)
        let form = #"{"name":"logger","scopes":["read","write"]}"#
        let made = await stage.ask(.post, "/tokens", form, as: ben)
        let (id, secret) = (made.text("id") ?? "", made.text("token") ?? "")
        // An owner sees it; another member would not.
        #expect(await stage.ask(.get, "/tokens", as: anna).body.contains(id))
        let carl = try await stage.signUp("Carl", .member, by: anna)
        #expect(await stage.ask(.delete, "/tokens/\(id)", as: carl).status == 404)
        #expect(await stage.ask(.delete, "/tokens/\(id)", as: anna).status == 204)
        #expect(await stage.ask(.get, "/me", as: Browser(token: secret)).status == 401)
        for _ in 0..<32 {
            #expect(await stage.ask(.post, "/tokens", form, as: ben).status == 201)
        }
        #expect(await stage.ask(.post, "/tokens", form, as: ben).status == 409)
        for bad in [
            #"{"name":"x","scopes":[]}"#, #"{"name":"x","scopes":["root"]}"#,
            #"{"name":"x","scopes":["read"],"days":366}"#, #"{"name":"","scopes":["read"]}"#,
        ] {
            #expect(await stage.ask(.post, "/tokens", bad, as: ben).status == 400)
        }
    }

    @Test func writesDownWhoChangedWhat() async throws {
        let stage = try AccountsStage()
        let anna = try await stage.claim()
        let ben = try await stage.signUp("Ben", .viewer, by: anna)
        _ = await stage.ask(.delete, "/members/2", as: anna)
        _ = await stage.ask(.post, "/logout", "{}", as: ben)
        let audit = await stage.ask(.get, "/audit", as: anna)
        for action in ["claim", "invitation", "signup", "member-removed"] {
            #expect(audit.body.contains(#""action":"\#(action)""#))
        }
        #expect(audit.body.contains(#""address":"192.168.1.7""#))
        let page = await stage.ask(.get, "/audit?limit=2", as: anna)
        let next = try #require(page.text("next"))
        let second = await stage.ask(.get, "/audit?limit=2&cursor=\(next)", as: anna)
        #expect(second.body.contains("claim") && !second.body.contains("member-removed"))
        #expect(await stage.ask(.get, "/audit?limit=0", as: anna).status == 400)
    }

    @Test func writesDownWhatWasDoneToTheStation() async throws {
        let routes = [
            Route(.post, "/api/v1/mutes/{target*}", .member, body: .form) { _ in WebResponse() }
                .about("", answers: .nothing, audit: .mute),
            Route(.patch, "/api/v1/settings", .owner, body: .form) { _ in WebResponse() },
            Route(.delete, "/api/v1/devices/{name}", .owner) { _ in throw Problem.notFound("none")
            },
        ]
        let stage = try AccountsStage(audited: { _ in routes })
        let anna = try await stage.claim()
        _ = await stage.ask(.post, "/mutes/dust/pm25", "{}", as: anna)
        _ = await stage.ask(.patch, "/settings", "{}", as: anna)
        _ = await stage.ask(.delete, "/devices/dust", as: anna)
        let audit = await stage.ask(.get, "/audit", as: anna)
        #expect(audit.body.contains(#""action":"mute","actor":"Anna""#))
        #expect(audit.body.contains(#""target":"PATCH settings""#))
        // The refused change is not in the audit.
        #expect(!audit.body.contains("forget"))
    }

    /// Every language has a word for each action.
    @Test func namesEachActionInTheCatalogues() throws {
        let parts = #filePath.split(separator: "/").dropLast(4)
        let folder = "/" + parts.joined(separator: "/") + "/Sources/RoostWeb/www/strings/"
        for language in ["en", "de", "it", "es", "fr"] {
            let data = try Data(contentsOf: URL(filePath: "\(folder)account-\(language).json"))
            let words = try JSONDecoder().decode([String: JSONObject].self, from: data)
            for action in AuditAction.allCases {
                #expect(words["audit.\(action.rawValue)"] != nil, "\(language) \(action)")
            }
        }
    }

    @Test func keepsAThousandRowsOfTheAudit() async throws {
        let stage = try AccountsStage()
        let count = try await stage.database.run { connection in
            let table = AuditTable(connection: connection)
            for number in 0..<1_100 {
                try table.add(
                    AuditRecord(
                        time: Int64(number),
                        actor: "a",
                        action: .change,
                        target: "",
                        address: ""
                    )
                )
            }
            return try table.page(before: nil, limit: 2_000).count
        }
        #expect(count == 1_000)
    }

    /// Names reach the page as text, whatever is in them.
    @Test(arguments: InjectionTexts.all)
    func carriesNamesAsText(text: String) async throws {
        let stage = try AccountsStage()
        let anna = try await stage.claim()
        let quoted = String(decoding: try JSONBody.encoded(text), as: UTF8.self)
        let bodies = [
            ("PATCH", "/me", #"{"name":\#(quoted),"location":\#(quoted)}"#),
            ("PATCH", "/me", #"{"email":\#(quoted)}"#),
            ("PATCH", "/me", #"{"preferences":{\#(quoted):\#(quoted)}}"#),
            ("POST", "/tokens", #"{"name":\#(quoted),"scopes":["read"]}"#),
            ("POST", "/login", #"{"email":\#(quoted),"password":\#(quoted)}"#),
            ("POST", "/invitations/x", AccountsStage.person("Eve")),
        ]
        for (method, path, body) in bodies {
            let answer = await stage.ask(method == "POST" ? .post : .patch, path, body, as: anna)
            #expect([200, 201, 400, 401, 410].contains(answer.status), "\(path): \(answer.body)")
            #expect(answer.headers[.setCookie] == nil)
        }
        for path in ["/me", "/tokens", "/members", "/sessions", "/audit"] {
            let answer = await stage.ask(.get, path, as: anna)
            #expect(answer.status == 200)
            #expect(throws: Never.self) {
                try JSONBody.decoded(JSONObject.self, from: Array(answer.body.utf8))
            }
            #expect(!answer.body.contains("<script") && !answer.body.contains("\u{202E}"))
        }
    }
}

/// Any JSON object.
private struct JSONObject: Decodable {}
