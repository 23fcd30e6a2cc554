import ControlProtocol
import HardwareIO

/// Which users of the control socket may ask for what.
///
/// The file mode decides who may connect. The dashboard serves people on the network, so its own
/// user gets a fixed list and nothing that a new command adds by itself. Others ask as before.
package struct ControlRights: Sendable {
    /// What the dashboard may ask for; a test holds the list and the commands together.
    ///
    /// By name: not among them are `trustClock`, `newStationID` and `snooze`, which need a shell
    /// on the station.
    package static let dashboard: Set<String> = [
        // To read.
        "status", "tree", "devices", "readings", "events", "tail", "live", "clock", "doctor",
        "profiles", "checkProfile", "settings", "alerts",
        // To change; the events name the account.
        "mode", "adopt", "ignore", "rename", "forget", "mute", "unmute", "note", "configure",
        "remove", "record", "set", "claimWindow", "acknowledge", "silence", "unsilence",
        "testAlert",
    ]

    /// What the courier may ask for; a test holds this list and the commands together.
    package static let courier: Set<String> = [
        "status", "devices", "clock", "events", "tail", "feed", "cursor", "courierEvent", "imports",
        "alerts",
    ]

    /// What the camera may ask for; a test holds this list and the commands together.
    package static let camera: Set<String> = ["live", "clock", "cameraEvent", "cameraOn"]

    /// What only root, the station's own user, the courier and the camera may ask for: where
    /// followers are, what others measured, and what happened to themselves.
    package static let followers: Set<String> = [
        "cursor", "courierEvent", "cameraEvent", "cameraOn", "imports",
    ]

    /// The number of the camera's user; nil where there is no such user.
    package var cameraUser: UInt32?

    /// The number of the courier's user; nil where there is no such user.
    package var courierUser: UInt32?
    /// The number of the dashboard's user; nil where there is no such user.
    package var dashboardUser: UInt32?
    /// This process's own user and group; nil where users do not count.
    package var own: (user: UInt32, group: UInt32)?

    package init(
        dashboardUser: UInt32? = nil,
        courierUser: UInt32? = nil,
        cameraUser: UInt32? = nil,
        own: (user: UInt32, group: UInt32)? = nil
    ) {
        (self.dashboardUser, self.courierUser, self.own) = (dashboardUser, courierUser, own)
        self.cameraUser = cameraUser
    }

    /// Why a request is refused; nil when it may go on.
    package func refusal(
        of command: ControlRequest.Command,
        from peer: PeerCredentials?
    ) -> ControlFailure? {
        guard let peer else { return nil }
        let name = command.rawValue
        if peer.userID == courierUser {
            guard !Self.courier.contains(name) else { return nil }
            return ControlFailure(
                code: "not-allowed",
                message: "the courier may not ask for \(name); use `roost` on the station"
            )
        }
        if peer.userID == cameraUser {
            guard !Self.camera.contains(name) else { return nil }
            return ControlFailure(
                code: "not-allowed",
                message: "the camera may not ask for \(name); use `roost` on the station"
            )
        }
        guard !isDashboard(peer) else { return refusalOfDashboard(name) }
        guard let own, Self.followers.contains(name), peer.userID != 0, peer.userID != own.user
        else { return nil }
        return ControlFailure(
            code: "not-allowed",
            message: "user \(peer.userID) may not ask for \(name); that is for root and the courier"
        )
    }

    private func refusalOfDashboard(_ name: String) -> ControlFailure? {
        guard !Self.dashboard.contains(name) else { return nil }
        return ControlFailure(
            code: "not-allowed",
            message: "the dashboard may not ask for \(name); use `roost` on the station"
        )
    }

    /// Whether the dashboard asks.
    ///
    /// In a sandbox with users of its own, other users have no number here, but the station's group
    /// keeps its: the dashboard is the one process that has it as its first group. Who takes that
    /// group by `newgrp` has these rights, too.
    func isDashboard(_ peer: PeerCredentials) -> Bool {
        if let dashboardUser, peer.userID == dashboardUser { return true }
        guard let own, own.group != 0, peer.userID != 0 else { return false }
        return peer.userID != own.user && peer.groupID == own.group
    }
}
