import ControlProtocol
import FileIO
import HTTPTypes
import HardwareIO
import TestSupport
import Testing

@testable import RoostWeb

@Suite struct AccountBackupTests {
    /// Two people in a backup, of a station of their own.
    private static func backup() async throws -> String {
        let stage = try AccountsStage(hashing: .argon2id)
        let owner = try await stage.claim()
        _ = try await stage.signUp("Ben", .viewer, by: owner)
        return try await AccountBackup(stage.accounts).table(for: .root)
            .ask(BackUp(secrets: true)).content
    }

    @Test func theSessionThatRestoresGoesOn() async throws {
        let content = try await Self.backup()
        let stage = try AccountsStage(hashing: .argon2id)
        let owner = try await stage.claim()
        let gone = try await stage.signUp("Cleo", .member, by: owner)
        let id = try #require(stage.accounts.roster.account(email: "anna@example.org")).id
        let table = AccountBackup(stage.accounts, keeping: id).table(for: .dashboard)
        let trial = try await table.ask(RestorePart(content, isTrial: true))
        #expect(trial.items.map(\.change) == [.changed, .added, .removed])
        #expect(await stage.ask(.get, "/me", as: gone).status == 200, "a look changes nothing")
        _ = try await table.ask(RestorePart(content, isTrial: false))
        #expect(await stage.ask(.get, "/me", as: owner).status == 200)
        #expect(await stage.ask(.get, "/me", as: gone).status == 401)
        let ben = await stage.ask(.post, "/login", AccountsStage.logIn("ben@example.org"))
        #expect(ben.status == 200)
    }

    @Test func aCardBringsPeopleOnce() async throws {
        let content = try await Self.backup()
        let stage = try AccountsStage(hashing: .argon2id)
        let path = stage.folder.path("roost-restore-people.json")
        try Files.replace(path, with: Array(content.utf8), mode: 0o600)
        stage.accounts.begin(with: stage.folder.path)
        #expect(Files.text(path) == nil)
        let anna = await stage.ask(.post, "/login", AccountsStage.logIn("anna@example.org"))
        #expect(anna.status == 200)
    }

    @Test(arguments: [
        "", "{}", "[", #"{"people":[{"name":"x"}]}"#,
    ])
    func aPartThatIsNoneChangesNothing(_ content: String) async throws {
        let stage = try AccountsStage(hashing: .argon2id)
        let owner = try await stage.claim()
        let table = AccountBackup(stage.accounts).table(for: .root)
        await #expect(throws: ControlFailure.self) {
            try await table.ask(RestorePart(content, isTrial: false))
        }
        #expect(await stage.ask(.get, "/me", as: owner).status == 200)
    }

    /// A station without an owner has a backup, too; those who are here stay.
    @Test func noPeopleChangeNothing() async throws {
        let empty = try AccountsStage(hashing: .argon2id)
        let content = try await AccountBackup(empty.accounts).table(for: .root)
            .ask(BackUp(secrets: true)).content
        let stage = try AccountsStage(hashing: .argon2id)
        let owner = try await stage.claim()
        let table = AccountBackup(stage.accounts).table(for: .root)
        let report = try await table.ask(RestorePart(content, isTrial: false))
        #expect(report.items.isEmpty)
        #expect(await stage.ask(.get, "/me", as: owner).status == 200)
    }

    /// The cost of a hash is paid at each log-in.
    @Test func aHashThatCostsTooMuchIsRefused() async throws {
        let content = try await Self.backup()
        let dear = content.replacing("m=19456", with: "m=4000000")
        #expect(dear != content)
        let stage = try AccountsStage(hashing: .argon2id)
        let table = AccountBackup(stage.accounts).table(for: .root)
        await #expect(throws: ControlFailure.self) {
            try await table.ask(RestorePart(dear, isTrial: true))
        }
    }

    @Test func onlyRootAndTheDashboardGetPasswords() async throws {
        let stage = try AccountsStage(hashing: .argon2id)
        for user in LocalUser.allCases where ![.root, .dashboard].contains(user) {
            let error = await #expect(throws: ControlFailure.self) {
                try await AccountBackup(stage.accounts).table(for: user).ask(BackUp(secrets: true))
            }
            #expect(error?.code == .forbidden)
        }
    }
}
