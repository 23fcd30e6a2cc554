import ControlProtocol
import HardwareIO
import SimulationKit
import Testing

@testable import RoostCourier

/// Tests each request for each user of the courier's socket.
@Suite struct CourierRightsTests {
    @Test(arguments: CourierRequest.Command.allCases)
    func eachUserHasItsCommands(command: CourierRequest.Command) {
        for user in LocalUser.allCases {
            let isAllowed =
                switch user {
                case .root, .person, .unknown: true
                case .dashboard: command != .subscribers
                case .station, .courier, .camera: false
                }
            #expect(command.users.contains(user) == isAllowed, "\(command) by \(user)")
        }
    }

    @Test func theCameraIsRefused() throws {
        let users = LocalUsers(own: 212) { ["roost-eyes": 214][$0] }
        try simulate { clock in
            let life = try CourierLife(clock)
            let control = CourierControl(life.node(), users: users) {
                SimulatedListener(clock: clock)
            }
            let line = try ControlCodec.line(CourierRequest(.status))
            for (user, isAllowed) in [(214, false), (212, true), (1_000, true), (0, true)] {
                let peer = PeerCredentials(processID: 1, userID: UInt32(user), groupID: 209)
                let answer = try await control.answer(line, from: peer)
                #expect(answer.contains("not-allowed") != isAllowed, "\(user): \(answer)")
            }
            withExtendedLifetime(life.station.folder) {}
        }
    }
}
