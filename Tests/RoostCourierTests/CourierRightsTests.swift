import ControlProtocol
import HardwareIO
import SimulationKit
import Testing

@testable import RoostCourier

/// Tests each request for each user of the courier's socket.
@Suite struct CourierRightsTests {
    private static let questions: [any Question.Type] = [
        GetCourierStatus.self, FlushOutbox.self, PauseTarget.self, ResumeTarget.self,
        DropSamples.self, FindFates.self, RetryRefused.self, ProveDelivery.self,
        SubscribePush.self, UnsubscribePush.self, NotifySubscribers.self, GetPushKey.self,
        GetSubscribers.self, FindStations.self, FindNearby.self, ConfigureEntry.self,
        RemoveEntry.self, UndoEntry.self, GetEntry.self, GetEntryKinds.self, TryEntry.self,
        BackUp.self, RestorePart.self, ExportSettings.self,
    ]

    @Test(arguments: questions.map { $0.about.name })
    func eachUserHasItsCommands(command: String) throws {
        let question = try #require(Self.questions.first { $0.about.name == command })
        for user in LocalUser.allCases {
            let hasSecrets = [BackUp.about, RestorePart.about, ExportSettings.about]
                .contains { $0.name == command }
            let isAllowed =
                switch user {
                case .person where hasSecrets, .unknown where hasSecrets: false
                case .root, .person, .unknown: true
                case .dashboard: command != "subscribers"
                case .station, .courier, .camera: false
                }
            let may = question.about.users.contains(user)
            #expect(may == isAllowed, "\(command) by \(user)")
        }
    }

    @Test func theCameraIsRefused() throws {
        let users = LocalUsers(own: 212) { ["roost-eyes": 214][$0] }
        try simulate { clock in
            let life = try CourierLife(clock)
            let control = CourierControl(life.node(), users: users) {
                SimulatedListener(clock: clock)
            }
            #expect(control.table.names == Self.questions.map { $0.about.name }.sorted())
            let line = try ControlCodec.line(AskedQuestion(GetCourierStatus()))
            for (user, isAllowed) in [(214, false), (212, true), (1_000, true), (0, true)] {
                let peer = PeerCredentials(processID: 1, userID: UInt32(user), groupID: 209)
                let answer = try await control.table.answer(line, from: peer)
                #expect(answer.contains("forbidden") != isAllowed, "\(user): \(answer)")
            }
            withExtendedLifetime(life.station.folder) {}
        }
    }
}
