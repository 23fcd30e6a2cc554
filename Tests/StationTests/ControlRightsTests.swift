import ControlProtocol
import HardwareIO
import Testing

@testable import Station

/// The whole table, written down a second time: each command × each user.
@Suite struct ControlRightsTests {
    private static let refusedToDashboard: Set<ControlRequest.Command> = [
        .trustClock, .newStationID, .cursor, .courierEvent, .cameraEvent, .cameraOn,
        .imports, .hearNeighbours,
    ]
    /// Commands that the camera needs.
    private static let camera: Set<ControlRequest.Command> = [
        .live, .clock, .cameraEvent, .cameraOn,
    ]
    /// Commands that the courier needs to follow the store.
    private static let courier: Set<ControlRequest.Command> = [
        .status, .devices, .clock, .events, .tail, .cursor, .courierEvent, .imports, .alerts,
        .hearNeighbours,
    ]
    private static let refusedToPeople: Set<ControlRequest.Command> = [
        .cursor, .courierEvent, .cameraEvent, .cameraOn, .imports, .hearNeighbours,
    ]
    private static let users = LocalUsers(own: 208) { name in
        ["roost": 208, "roost-web": 210, "roost-courier": 212, "roost-eyes": 214][name]
    }
    private static let rights = ControlRights(users, group: 209)

    private static func peer(_ user: UInt32, _ group: UInt32) -> PeerCredentials {
        PeerCredentials(processID: 1, userID: user, groupID: group)
    }

    /// With the station's group as the first one, as the units have it, or not.
    @Test(arguments: ControlRequest.Command.allCases)
    func eachUserHasItsCommands(command: ControlRequest.Command) {
        let (own, all) = (Self.peer(208, 209), Set(ControlRequest.Command.allCases))
        let table: [(peers: [PeerCredentials], may: Set<ControlRequest.Command>)] = [
            ([own, Self.peer(0, 0), Self.peer(0, 209)], all),
            // In the machine's own users, and as a sandbox shows it.
            (
                [Self.peer(210, 211), Self.peer(210, 209), Self.peer(65_534, 209)],
                all.subtracting(Self.refusedToDashboard)
            ),
            ([Self.peer(212, 213), Self.peer(212, 209)], Self.courier),
            ([Self.peer(214, 209), Self.peer(214, 215)], Self.camera),
            (
                [Self.peer(1_000, 1_000), Self.peer(65_534, 65_534)],
                all.subtracting(Self.refusedToPeople)
            ),
        ]
        for (peers, may) in table {
            for peer in peers {
                let refusal = Self.rights.refusal(of: command, from: peer)
                #expect((refusal == nil) == may.contains(command), "\(command) by \(peer)")
                #expect(refusal == nil || refusal?.code == .forbidden)
            }
        }
        #expect(Self.rights.refusal(of: command, from: nil) == nil)
        #expect(ControlRights().refusal(of: command, from: Self.peer(210, 209)) == nil)
        // The courier's place among those that wait is not the dashboard's.
        for (user, mayWait) in [(UInt32(210), false), (212, true), (1_000, true)] {
            let waiter = Self.peer(user, user + 1)
            let refusal = Self.rights.refusal(of: .tail, thatWaits: true, from: waiter)
            #expect((refusal == nil) == mayWait)
        }
        // By hand as root there is no group of the station's own.
        let byRoot = ControlRights(LocalUsers(own: 0) { _ in nil }, group: 0)
        let isForFollowers = Self.refusedToPeople.contains(command)
        #expect((byRoot.refusal(of: command, from: Self.peer(1_000, 0)) != nil) == isForFollowers)
    }
}
