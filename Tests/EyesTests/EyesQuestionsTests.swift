import ControlProtocol
import Synchronization
import Testing

@testable import Eyes

@Suite struct EyesQuestionsTests {
    /// Three pictures, 1 to 3.
    private final class ThreePictures: EyesService {
        let numbers = Mutex<Set<UInt64>>([1, 2, 3])

        func report() async -> EyesReport {
            var report = EyesReport(
                version: "1",
                processID: 7,
                uptimeSeconds: 60,
                ring: ("/ring", 1 << 20, 40),
                retentionDays: 14
            )
            report.pictureCount = numbers.withLock { $0.count }
            return report
        }

        func delete(_ pictures: PictureChoice) async throws -> Int {
            numbers.withLock { numbers in
                let before = numbers.count
                switch pictures {
                case .one(let number): numbers.remove(number)
                case .allUpTo(let last): numbers = numbers.filter { $0 > last }
                }
                return before - numbers.count
            }
        }
    }

    @Test func oneIsDeletedOrAllThatWereSeen() async throws {
        let service = ThreePictures()
        let camera = QuestionTable(service, ring: "/ring")
        #expect(try await camera.ask(DeletePictures(2)).count == 1)
        #expect(try await camera.ask(DeletePictures(2)).count == 0)
        #expect(try await camera.ask(DeletePictures(nil, upTo: 2)).count == 1)
        #expect(service.numbers.withLock { $0 } == [3])
        let status = try await camera.ask(GetCameraStatus())
        #expect(status.pictureCount == 1 && status.room == 40)
    }

    @Test(arguments: [
        (DeletePictures(nil), RefusalCode.badRequest),
        (DeletePictures(1, upTo: 3), .badRequest),
        (DeletePictures(1, ring: "/another"), .conflict),
    ])
    func whatNamesNoPictureDeletesNone(question: DeletePictures, code: RefusalCode) async throws {
        let service = ThreePictures()
        let camera = QuestionTable(service, ring: "/ring")
        let failure = await #expect(throws: ControlFailure.self) {
            try await camera.ask(question)
        }
        #expect(failure?.code == code)
        for line in ["", "{}", "{\"version\":99,\"command\":\"status\"}", "[1"] {
            let answer = try await camera.answer(line)
            #expect(answer.contains("\"error\""), "\(line)")
        }
        #expect(service.numbers.withLock { $0.count } == 3)
    }
}
