import ControlProtocol
import Testing

@testable import Backup

@Suite struct StationBackupTests {
    /// A program that exports a file, or refuses to.
    private struct Program: QuestionClient {
        let name: String
        let refusal: String?

        init(_ name: String, refusal: String? = nil) { (self.name, self.refusal) = (name, refusal) }

        func exchange(_ line: String, within limit: Duration?) async throws -> String {
            if let refusal {
                return try ControlCodec.line(refusing: .init(code: .store, message: refusal))
            }
            return try ControlCodec.line(
                ControlAnswer(.success(ExportedFile(name: name, content: "{}\n")))
            )
        }
    }

    @Test func theStationsFileComesAndWhatIsMissingIsNamed() async throws {
        let trouble = "the camera is off, as its settings cannot be used"
        let backup = StationBackup([
            .station: Program("roost.json"),
            .camera: Program("eyes.json", refusal: trouble),
        ])
        let exported = try await backup.exportedFiles()
        #expect(exported.files.map(\.name) == ["roost.json"])
        let reasons = ["roost-courier: it does not run here", "roost-eyes: \(trouble)"]
        #expect(exported.leftOut == reasons)
    }

    @Test func allFilesComeInTheirOrder() async throws {
        let backup = StationBackup([
            .camera: Program("eyes.json"), .courier: Program("courier.json"),
            .station: Program("roost.json"),
        ])
        let exported = try await backup.exportedFiles()
        #expect(exported.files.map(\.name) == ["roost.json", "courier.json", "eyes.json"])
        #expect(exported.leftOut.isEmpty)
    }

    @Test func withoutTheStationsFileThereIsNoExport() async throws {
        let backup = StationBackup([
            .station: Program("roost.json", refusal: "not exported"),
            .courier: Program("courier.json"),
        ])
        await #expect(throws: ControlFailure.self) { _ = try await backup.exportedFiles() }
    }
}
