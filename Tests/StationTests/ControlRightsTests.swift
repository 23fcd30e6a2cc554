import ControlProtocol
import HardwareIO
import Testing

@testable import SimulationKit
@testable import Station

/// The whole table, written down a second time: each question × each user.
@Suite struct ControlRightsTests {
    private static let refusedToDashboard: Set = [
        "trustClock", "newStationID", "cursor", "courierEvent", "cameraEvent", "cameraOn",
        "imports", "hearNeighbours",
    ]
    /// Questions that the camera needs.
    private static let camera: Set = ["live", "clock", "cameraEvent", "cameraOn"]
    /// Questions that the courier needs to follow the store.
    private static let courier: Set = [
        "status", "devices", "clock", "events", "tail", "cursor", "courierEvent", "imports",
        "alerts", "hearNeighbours",
    ]
    private static let refusedToPeople: Set = [
        "cursor", "courierEvent", "cameraEvent", "cameraOn", "imports", "hearNeighbours", "back-up",
        "export-settings", "restore",
    ]
    private static let users = LocalUsers(own: 208) { name in
        ["roost": 208, "roost-web": 210, "roost-courier": 212, "roost-eyes": 214][name]
    }
    private static let rights = ControlRights(users, group: 209)

    private static func peer(_ user: UInt32, _ group: UInt32) -> PeerCredentials {
        PeerCredentials(processID: 1, userID: user, groupID: group)
    }

    private static func table(_ rights: ControlRights) throws -> QuestionTable {
        try simulate { clock in
            ControlAnswers(station: try TestStation(clock).station.state).table(rights)
        }
    }

    private static func mayAsk(
        _ table: QuestionTable,
        _ name: String,
        _ peer: PeerCredentials?
    ) -> Bool {
        do {
            _ = try table.reply(
                to: #"{"version":\#(controlProtocolVersion),"command":"\#(name)"}"#,
                from: peer
            )
            return true
        } catch {
            // Rights come before fields, which this line lacks.
            return error.code != .forbidden
        }
    }

    /// With the station's group as the first one, as the units have it, or not.
    @Test func eachUserHasItsQuestions() throws {
        let table = try Self.table(Self.rights)
        let unlimited = try Self.table(ControlRights())
        // By hand as root there is no group of the station's own.
        let byRoot = try Self.table(ControlRights(LocalUsers(own: 0) { _ in nil }, group: 0))
        let (own, all) = (Self.peer(208, 209), Set(table.names))
        #expect(all.count == 52)
        let rows: [(peers: [PeerCredentials], may: Set<String>)] = [
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
        for name in all {
            for (peers, may) in rows {
                for peer in peers {
                    let isAllowed = Self.mayAsk(table, name, peer)
                    #expect(isAllowed == may.contains(name), "\(name) by \(peer)")
                }
            }
            #expect(Self.mayAsk(table, name, nil))
            #expect(Self.mayAsk(unlimited, name, Self.peer(210, 209)))
            let isForFollowers = Self.refusedToPeople.contains(name)
            #expect(Self.mayAsk(byRoot, name, Self.peer(1_000, 0)) != isForFollowers)
        }
        #expect(rows.allSatisfy { $0.may.isSubset(of: all) })
    }

    /// The courier's place among those that wait is not the dashboard's.
    @Test func theDashboardMayNotWait() throws {
        for (user, code) in [(UInt32(210), RefusalCode.forbidden), (212, nil), (1_000, nil)] {
            let answer = try simulate { clock in
                let test = try TestStation(clock)
                return try await test.run { test in
                    try await test.sleep(.seconds(1))
                    return try await ControlAnswers(station: test.station.state)
                        .table(Self.rights)
                        .answer(
                            ControlCodec.line(AskedQuestion(GetTail(waitSeconds: 1))),
                            from: Self.peer(user, user + 1)
                        )
                }
            }
            let said = try ControlCodec.message(ControlAnswer<TailReport>.self, from: answer)
            #expect(said.error?.code == code)
        }
    }
}
