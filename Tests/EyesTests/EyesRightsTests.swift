import ControlProtocol
import HardwareIO
import Testing

@testable import Eyes

/// Each request × each user of the camera's sockets.
@Suite struct EyesRightsTests {
    private struct NoEyesService: EyesService {
        func report() async -> EyesReport {
            EyesReport(
                version: "1",
                processID: 7,
                uptimeSeconds: 60,
                ring: ("/ring", 1 << 20, 40),
                retentionDays: 14
            )
        }

        func delete(_ pictures: PictureChoice) async throws -> Int { 0 }
    }

    private static let may: [LocalUser: Bool] = [
        .root: true, .person: true, .unknown: true, .dashboard: true, .station: false,
        .courier: false, .camera: false,
    ]

    @Test(arguments: LocalUser.allCases)
    func picturesAreForPeopleAndTheDashboard(user: LocalUser) throws {
        let isAllowed = try #require(Self.may[user] as Bool?)
        let questions: [any Question.Type] = [
            GetCameraStatus.self, DeletePictures.self, GetCameraSettings.self, ChangeCamera.self,
            UndoCamera.self, TryCamera.self, GetTriedPicture.self,
        ]
        for about in questions.map({ $0.about }) {
            #expect(about.users.contains(user) == isAllowed, "\(about.name)")
        }
        for about in [BackUp.about, RestorePart.about, ExportSettings.about] {
            #expect(about.users.contains(user) == [.root, .dashboard].contains(user))
        }
        #expect(LiveServer.users.contains(user) == isAllowed)
    }

    @Test func theCourierIsRefused() async throws {
        let users = LocalUsers(own: 214) { ["roost-courier": 212][$0] }
        let camera = QuestionTable(NoEyesService(), ring: "/ring", users: users)
        let line = try ControlCodec.line(AskedQuestion(GetCameraStatus()))
        for (user, isAllowed) in [(212, false), (214, true), (1_000, true), (0, true)] {
            let peer = PeerCredentials(processID: 1, userID: UInt32(user), groupID: 209)
            let answer = try await camera.answer(line, from: peer)
            #expect(answer.contains("forbidden") != isAllowed, "\(user): \(answer)")
        }
    }
}
