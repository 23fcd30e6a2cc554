import ControlProtocol
import Glibc
import HTTPTypes
import TestSupport
import Testing

@testable import RoostWeb

/// A refusal writes nothing to the card, however often it is asked for.
@Suite struct RefusalWriteTests {
    /// Each allowed wrong claim wrote 24 KB: on a station without owner, by anyone in its network.
    @Test func aRefusedClaimWritesNothing() async throws {
        let stage = try AccountsStage()
        let card = try CardWatch(stage)
        let wrong = AccountsStage.person("Eve", code: "0000-0000")
        for _ in 0..<50 {
            #expect(await stage.ask(.post, "/claim", wrong).status == 410)
            stage.time.pass(1)
        }
        #expect(try card.writes() == 0)
        // The five tries of an existing code are stored, since a restart must give no more.
        _ = try await stage.accounts.newClaimCode()
        var written = 0
        try card.forget()
        for _ in 0..<50 {
            #expect([400, 410].contains(await stage.ask(.post, "/claim", wrong).status))
            written += try card.writes()
            try card.forget()
        }
        #expect(written == 5)
        let later = try AccountsStage(folder: stage.folder, time: stage.time)
        #expect(await later.ask(.post, "/claim", wrong).status == 410)
    }

    /// The whole table of the accounts' routes × who asks × what it sends.
    @Test(arguments: [false, true])
    func noRefusalWrites(isClaimed: Bool) async throws {
        let stage = try AccountsStage()
        var browsers = [
            Browser(), Browser(cookie: "roost_0000=x"), Browser(token: "rst_a_b"),
        ]
        if isClaimed {
            let owner = try await stage.claim()
            browsers += [owner, try await stage.signUp("Ben", .viewer, by: owner)]
        }
        let bodies = [
            nil, "", "{}", "[", AccountsStage.person("Eve", code: "0000-0000"),
            AccountsStage.logIn("anna@example.org", "no"), AccountsStage.logIn("eve@example.org"),
            #"{"present":"no","new":"nine-Kettles-hum"}"#, #"{"role":"owner","days":99}"#,
        ]
        let card = try CardWatch(stage)
        var refusedCount = 0
        for route in AccountRoutes.all(stage.accounts) {
            let path = GateTests.path(of: route).replacing("/api/v1", with: "")
            for browser in browsers {
                for body in bodies {
                    // The throttle would hide the answers behind it.
                    stage.time.pass(60)
                    let answer = await stage.ask(route.method, path, body, as: browser)
                    let count = try card.writes()
                    if count > 0 { try card.forget() }
                    guard answer.status >= 400 else { continue }
                    refusedCount += 1
                    let words = "\(route.method.rawValue) \(path) \(body ?? "")"
                    #expect(count == 0, "\(words): \(answer.status)")
                }
            }
        }
        #expect(refusedCount > 300)
    }
}

/// Detects writes to the folder of the accounts, by an old time on it and its files.
struct CardWatch {
    private let paths: [String]

    init(_ stage: AccountsStage) throws {
        let file = stage.database.path
        paths = [stage.folder.path, file, file + "-journal"].filter { access($0, F_OK) == 0 }
        try forget()
    }

    /// Sets the old time on the files.
    func forget() throws {
        for path in paths {
            let old = [timespec(tv_sec: 1_000, tv_nsec: 0), timespec(tv_sec: 1_000, tv_nsec: 0)]
            try #require(utimensat(AT_FDCWD, path, old, 0) == 0)
        }
    }

    /// 1 when anything was written since, else 0.
    func writes() throws -> Int {
        for path in paths {
            var status = stat()
            try #require(stat(path, &status) == 0)
            if status.st_mtim.tv_sec != 1_000 { return 1 }
        }
        return 0
    }
}
