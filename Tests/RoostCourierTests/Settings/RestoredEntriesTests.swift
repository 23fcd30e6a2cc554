import ControlProtocol
import Core
import HardwareIO
import SimulationKit
import Testing

@testable import CourierSimulation
@testable import RoostCourier

@Suite struct RestoredEntriesTests {
    private static let influx = #"""
        {"type":"influx1","url":"http://192.168.1.5:8086","database":"air","user":"u"}
        """#

    private static func courier(
        _ body: @escaping @Sendable (CourierLife, CourierNode) async throws -> Void
    ) throws {
        try simulate { clock in
            let life = try CourierLife(clock, targets: "")
            let node = life.node()
            try await life.run(node) {
                try await clock.sleep(for: .seconds(30))
                let question = ConfigureEntry(
                    "own",
                    in: .targets,
                    influx,
                    secrets: ["password": "hunter2"]
                )
                _ = try await CourierLife.ask(node, question)
                try await body(life, node)
            }
            withExtendedLifetime(life.station.folder) {}
        }
    }

    @Test func whatWasRemovedComesBackWithItsSecret() throws {
        try Self.courier { life, node in
            let part = try await CourierLife.ask(node, BackUp(secrets: true))
            #expect(part.content.contains("hunter2") && part.leftOutCount == 0)
            _ = try await CourierLife.ask(node, RemoveEntry("own"))
            let trial = try await CourierLife.ask(node, RestorePart(part.content, isTrial: true))
            #expect(trial.items == [RestoreReport.Item(.target, "own", .added)])
            #expect(node.outlet("own") == nil, "a look changes nothing")
            _ = try await CourierLife.ask(node, RestorePart(part.content, isTrial: false))
            try await life.demandSum(node, at: "own")
            let again = try await CourierLife.ask(node, RestorePart(part.content, isTrial: true))
            #expect(again.items == [RestoreReport.Item(.target, "own", .same)])
        }
    }

    @Test func aBackupWithoutSecretsKeepsThoseOfTheSameEntry() throws {
        try Self.courier { life, node in
            let part = try await CourierLife.ask(node, BackUp(secrets: false))
            #expect(!part.content.contains("hunter2") && part.leftOutCount == 1)
            _ = try await CourierLife.ask(node, RestorePart(part.content, isTrial: false))
            try await life.demandSum(node, at: "own")
            // On another station it is there, and says what it lacks.
            _ = try await CourierLife.ask(node, RemoveEntry("own"))
            let report = try await CourierLife.ask(node, RestorePart(part.content, isTrial: false))
            #expect(report.items.first?.next?.contains("own is not in use until") == true)
        }
    }

    /// A file that another wrote may name a secret of the administrator, and a server of his own.
    @Test func aForeignFileSendsNoSecretAway() throws {
        try Self.courier { life, node in
            func content(_ secret: String) -> String {
                let entry = #"""
                    {"type":"influx1","url":"http://192.168.1.6:8086","database":"air","user":"u",
                     "password":{"secret":"\#(secret)"}}
                    """#
                return #"{"targets":{"evil":\#(entry)}}"#
            }
            func restore(_ secret: String, _ user: LocalUser, isTrial: Bool) async throws {
                _ = try await node.settings.restore(
                    content(secret),
                    isTrial: isTrial,
                    by: QuestionAsker(user)
                )
            }
            let before = life.files[CourierOverlay.name]
            for isTrial in [true, false] {
                for (secret, user) in [
                    ("influx", LocalUser.dashboard), ("page.own.password", .dashboard),
                    ("page.own.password", .root),
                ] {
                    let failure = await #expect(throws: ControlFailure.self) {
                        try await restore(secret, user, isTrial: isTrial)
                    }
                    #expect(failure?.message.contains("secret") == true)
                }
            }
            #expect(life.files[CourierOverlay.name] == before)
            try await restore("influx", .root, isTrial: true)
        }
    }

    @Test(arguments: ["", "{", #"{"targets": []}"#, #"{"secrets": 1}"#])
    func aContentThatIsNoneChangesNothing(_ content: String) throws {
        try Self.courier { _, node in
            await #expect(throws: ControlFailure.self) {
                try await CourierLife.ask(node, RestorePart(content, isTrial: false))
            }
            #expect(node.outlet("own") != nil)
        }
    }
}
