import ControlProtocol
import HardwareIO

/// Decides which users of the control socket may send which command.
///
/// The file mode decides who may connect; the kernel says who it is.
package struct ControlRights: Sendable {
    private let users: LocalUsers
    /// Group of this process; nil where groups do not count.
    private let group: UInt32?

    /// - Parameters:
    ///   - users: By the names that the packages make.
    package init(_ users: LocalUsers = LocalUsers(), group: UInt32? = nil) {
        (self.users, self.group) = (users, group)
    }

    /// Why a request is refused; nil when it may go on.
    ///
    /// The dashboard may not wait for the tail: it could take the courier's place.
    package func refusal(
        of command: ControlRequest.Command,
        thatWaits: Bool = false,
        from peer: PeerCredentials?
    ) -> ControlFailure? {
        guard let peer else { return nil }
        let user = isOfDashboardsGroup(peer) ? .dashboard : users.user(peer)
        let mayWait = !thatWaits || user != .dashboard
        guard !command.users.contains(user) || !mayWait else { return nil }
        let words = user.refusal(of: command.rawValue, by: peer)
        return ControlFailure(code: .forbidden, message: words)
    }

    /// Whether the dashboard asks, as a sandbox with users of its own shows it.
    ///
    /// There other users have no number, but the station's group keeps its own: the dashboard is
    /// the one process without a number that has it as its first group. A person who takes that
    /// group by `newgrp` has these rights, too.
    private func isOfDashboardsGroup(_ peer: PeerCredentials) -> Bool {
        guard let group, group != 0, peer.groupID == group else { return false }
        return [.person, .unknown].contains(users.user(peer))
    }
}

extension ControlRequest.Command {
    private static let people: Set<LocalUser> = [.root, .person, .unknown]

    /// Users that may send this command.
    ///
    /// The dashboard serves people on the network and the courier talks to servers:
    /// a new command adds nothing to what they may ask until it names them here.
    package var users: Set<LocalUser> {
        switch self {
        case .status, .devices, .events, .tail, .alerts:
            Self.people.union([.dashboard, .courier])
        case .clock: Self.people.union([.dashboard, .courier, .camera])
        case .live: Self.people.union([.dashboard, .camera])
        case .tree, .readings, .doctor, .profiles, .checkProfile, .settings:
            Self.people.union([.dashboard])
        // The events name the account.
        case .mode, .adopt, .ignore, .rename, .forget, .mute, .unmute, .note, .configure, .remove,
            .offerTime, .record, .set, .claimWindow, .acknowledge, .silence, .unsilence, .testAlert:
            Self.people.union([.dashboard])
        // These need a shell on the station.
        case .trustClock, .newStationID: Self.people
        // Where followers are, what others measured or say, and what happened to themselves.
        case .cursor, .courierEvent, .imports, .hearNeighbours: [.root, .courier]
        case .cameraEvent, .cameraOn: [.root, .camera]
        }
    }
}
