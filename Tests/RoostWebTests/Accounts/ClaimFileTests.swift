import FileIO
import HTTPTypes
import TestSupport
import Testing

@testable import RoostWeb

@Suite struct ClaimFileTests {
    private static func finding(_ text: String) throws -> ClaimFile.Finding {
        let folder = try TestFolder(isInMemory: true)
        try Files.replace(folder.path(ClaimFile.name), with: Array(text.utf8), mode: 0o600)
        return ClaimFile(folder: folder.path).read()
    }

    @Test(arguments: [
        "k7qf-m2px", "k7qf-m2px\n", "  k7qf-m2px \r\n", "\u{FEFF}k7qf-m2px", "k7qf-m2px\n\n\n",
    ])
    func readsOneLine(text: String) throws {
        #expect(try Self.finding(text) == .code("k7qf-m2px"))
    }

    @Test(arguments: [
        "", "short", "seven77", "a-b-c-d-e-f", "two lines\nof text", "pässword", "code: 12345678",
        String(repeating: "x", count: 65), String(repeating: "x", count: 70_000),
    ])
    func saysWhatIsWrong(text: String) throws {
        guard case .wrong(let words) = try Self.finding(text) else {
            Issue.record("\(text.prefix(20)) was taken")
            return
        }
        #expect(words.contains(ClaimFile.name))
    }

    @Test func missesNothingWhereNoneIs() throws {
        #expect(ClaimFile(folder: "/nonexistent").read() == .missing)
    }

    @Test func aCodeOnTheCardMakesTheFirstAccount() async throws {
        let stage = try AccountsStage()
        try Files.replace(
            stage.folder.path(ClaimFile.name),
            with: Array("balcony 2026 x\n".utf8),
            mode: 0o600
        )
        stage.accounts.takeCode(from: stage.folder.path)
        #expect(await claim(stage, "wrong-code").status == 400)
        // Codes as people type them.
        #expect(await claim(stage, "BALCONY2026X").status == 201)
        stage.accounts.takeCode(from: stage.folder.path)
        #expect(await claim(stage, "BALCONY2026X").status == 409)
    }

    @Test func aFileOfTheCardRemovesAllAccountsOnce() async throws {
        let stage = try AccountsStage()
        let owner = try await stage.claim()
        let place = stage.folder.path
        let path = "\(place)/roost-reset-accounts.txt"
        stage.accounts.reset(by: place)
        #expect(await stage.ask(.get, "/me", as: owner).status == 200)
        try Files.replace(path, with: [], mode: 0o644)
        try Files.replace("\(place)/\(ClaimFile.name)", with: Array("a-new-code".utf8), mode: 0o644)
        stage.accounts.reset(by: place)
        stage.accounts.takeCode(from: place)
        #expect(Files.text(path) == nil)
        #expect(await stage.ask(.get, "/me", as: owner).status == 401)
        #expect(await claim(stage, "a-new-code").status == 201)
        let claimed = await stage.ask(.post, "/login", AccountsStage.logIn("a@example.org"))
        let audit = await stage.ask(.get, "/audit", as: Browser(cookie: claimed.cookie))
        #expect(audit.body.contains(#""actor":"roost-reset-accounts.txt""#), "\(audit.body)")
        // Nothing is removed at the next start.
        stage.accounts.reset(by: place)
        #expect(stage.accounts.roster.accounts.count == 1)
    }

    /// A process that starts again gives no new tries.
    @Test func triesAreCountedOverRestarts() async throws {
        let stage = try AccountsStage()
        try Files.replace(
            stage.folder.path(ClaimFile.name),
            with: Array("balcony-2026\n".utf8),
            mode: 0o600
        )
        for round in 0..<ClaimTable.cardTriesMax {
            stage.accounts.takeCode(from: stage.folder.path)
            let isLast = round == ClaimTable.cardTriesMax - 1
            #expect(await claim(stage, "wrong-code").status == (isLast ? 410 : 400))
        }
        stage.accounts.takeCode(from: stage.folder.path)
        #expect(await claim(stage, "balcony-2026").status == 410)
        // A code from `roost claim` is still possible.
        let code = try await stage.accounts.newClaimCode()
        #expect(await claim(stage, code).status == 201)
    }

    private func claim(_ stage: AccountsStage, _ code: String) async -> Answer {
        let body = """
            {"code":"\(code)","name":"Anna","email":"a@example.org",\
            "password":"\(AccountsStage.password)"}
            """
        return await stage.ask(.post, "/claim", body)
    }
}
