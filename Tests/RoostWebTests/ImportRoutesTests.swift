import ControlProtocol
import HTTPTypes
import TestSupport
import Testing

@testable import RoostWeb

@Suite struct ImportRoutesTests {
    private static func routes(_ station: StationClient?) -> [Route] {
        ImportRoutes(questions: StationQuestions(station: station)).all
    }

    @Test(arguments: [Right.viewer, .member])
    func onlyTheOwnerImports(right: Right) async throws {
        let stage = RouteStage(Self.routes(nil), as: right)
        #expect(await stage.ask("/api/v1/import").status == .forbidden)
        let piece = await stage.ask("/api/v1/import/file?at=0", .post, body: "PM2.5,1,2")
        #expect(piece.status == .forbidden)
        let wish = #"{"bytes": 9, "isTrial": false}"#
        #expect(await stage.ask("/api/v1/import", .post, body: wish).status == .forbidden)
    }

    @Test func saysItsLimitBeforeAFileIsSent() async throws {
        let stage = RouteStage(Self.routes(nil), as: .owner)
        let answer = try await RouteStage.text(await stage.ask("/api/v1/import"))
        #expect(answer.contains("\"limitBytes\":33554432"))
        let far = await stage.ask("/api/v1/import/file?at=33554432", .post, body: "1")
        #expect(far.status == .contentTooLarge)
        let none = await stage.ask("/api/v1/import/file?at=0", .post, body: "")
        #expect(none.status == .badRequest)
    }

    @Test func passesPiecesAndRefusalsOn() async throws {
        let arrived = ImportArrivalReport(byteCount: 9)
        let count = try await OneLineStation.answering(.success(arrived)) { station in
            let stage = RouteStage(Self.routes(station), as: .owner)
            let answer = await stage.ask("/api/v1/import/file?at=0", .post, body: "PM2.5,1,2")
            return try await RouteStage.text(answer)
        }
        #expect(count == "{\"byteCount\":9}")
        let failure = ControlFailure(code: .conflict, message: "7 bytes", pointer: "/file")
        let result = Result<ImportedFileReport, ControlFailure>.failure(failure)
        let refused = try await OneLineStation.answering(result) { station in
            let stage = RouteStage(Self.routes(station), as: .owner)
            let wish = #"{"bytes": 9, "isTrial": false, "kind": "periods", "source": "attic"}"#
            return await stage.ask("/api/v1/import", .post, body: wish)
        }
        #expect(refused.status == .conflict)
    }
}
