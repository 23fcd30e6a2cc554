import ControlProtocol
import HardwareIO
import Station
import Testing

@Suite struct ControlRightsTests {
    private static let refused: Set<ControlRequest.Command> = [
        .trustClock, .newStationID, .snooze, .feed, .cursor, .courierEvent, .cameraEvent,
        .cameraOn, .imports,
    ]
    /// What the camera needs.
    private static let camera: Set<ControlRequest.Command> = [
        .live, .clock, .cameraEvent, .cameraOn,
    ]
    /// What the courier needs to follow the store.
    private static let courier: Set<ControlRequest.Command> = [
        .status, .devices, .clock, .events, .tail, .feed, .cursor, .courierEvent, .imports,
        .alerts,
    ]
    private static let rights = ControlRights(
        dashboardUser: 210,
        courierUser: 212,
        cameraUser: 214,
        own: (208, 209)
    )

    private static func peer(_ user: UInt32, _ group: UInt32) -> PeerCredentials {
        PeerCredentials(processID: 1, userID: user, groupID: group)
    }

    /// The whole table: each command, each kind of user.
    @Test(arguments: ControlRequest.Command.allCases)
    func theDashboardHasItsListAndOthersHaveAll(command: ControlRequest.Command) {
        let isRefused = Self.refused.contains(command)
        // In the machine's own users, and as a sandbox shows it.
        for peer in [Self.peer(210, 211), Self.peer(65_534, 209)] {
            let refusal = Self.rights.refusal(of: command, from: peer)
            #expect((refusal?.code == "not-allowed") == isRefused, "\(command) by \(peer)")
        }
        for peer in [Self.peer(0, 0), Self.peer(0, 209), Self.peer(208, 209)] {
            #expect(Self.rights.refusal(of: command, from: peer) == nil, "\(command) by \(peer)")
        }
        let isForFollowers = [
            .cursor, .courierEvent, .cameraEvent, .cameraOn, .imports,
        ].contains(command)
        for peer in [Self.peer(1_000, 1_000), Self.peer(65_534, 65_534)] {
            let refusal = Self.rights.refusal(of: command, from: peer)
            #expect((refusal != nil) == isForFollowers, "\(command) by \(peer)")
        }
        #expect(Self.rights.refusal(of: command, from: nil) == nil)
        #expect(ControlRights().refusal(of: command, from: Self.peer(210, 209)) == nil)
        // By hand as root there is no group of the station's own.
        let byRoot = ControlRights(own: (0, 0))
        #expect((byRoot.refusal(of: command, from: Self.peer(1_000, 0)) != nil) == isForFollowers)
    }

    /// With the station's group as its first one, as its unit has it, or not.
    @Test(arguments: ControlRequest.Command.allCases)
    func theCameraHasItsList(command: ControlRequest.Command) {
        for peer in [Self.peer(214, 209), Self.peer(214, 215)] {
            let refusal = Self.rights.refusal(of: command, from: peer)
            #expect((refusal == nil) == Self.camera.contains(command), "\(command) by \(peer)")
        }
    }

    /// With the station's group as its first one or not.
    @Test(arguments: ControlRequest.Command.allCases)
    func theCourierHasItsList(command: ControlRequest.Command) {
        for peer in [Self.peer(212, 213), Self.peer(212, 209)] {
            let refusal = Self.rights.refusal(of: command, from: peer)
            #expect((refusal == nil) == Self.courier.contains(command), "\(command) by \(peer)")
        }
    }
}
