import ControlProtocol
import HTTPTypes
import HardwareIO
import Testing

@testable import RoostWeb

@Suite struct ClaimCodesTests {
    @Test func givesACodeUntilThereIsAnOwner() async throws {
        let stage = try AccountsStage()
        let codes = ClaimCodes(accounts: stage.accounts, addresses: ["http://balcony.local"])
        let first = try await Self.ask(codes, #"{"reset":false}"#)
        #expect(first.code?.count == 9 && first.seconds == 900)
        #expect(first.addresses == ["http://balcony.local"])
        let form = AccountsStage.person("Anna", code: first.code)
        #expect(await stage.ask(.post, "/claim", form).status == 201)
        let second = try await Self.ask(codes, #"{"reset":false}"#)
        #expect(second.code == nil && second.claimedBy == "Anna")
        #expect(second.claimedAt == "2026-11-22T04:00:00Z")
        let third = try await Self.ask(codes, #"{"reset":true}"#)
        #expect(third.removedCount == 1 && third.code != nil && third.claimedBy == nil)
    }

    @Test(arguments: [
        "", "claim", "{}", #"{"reset":1}"#, "\u{0}", String(repeating: "[", count: 200),
    ])
    func refusesOtherLines(line: String) async throws {
        let stage = try AccountsStage()
        let codes = ClaimCodes(accounts: stage.accounts, addresses: [])
        let failure = await #expect(throws: ControlFailure.self) { try await Self.ask(codes, line) }
        #expect(failure?.code == .badRequest)
    }

    private static func ask(_ codes: ClaimCodes, _ line: String) async throws -> ClaimReport {
        let text = await codes.answer(line, from: .person)
        let answer = try ControlCodec.message(ControlAnswer<ClaimReport>.self, from: text)
        if let error = answer.error { throw error }
        return try #require(answer.body)
    }
}
