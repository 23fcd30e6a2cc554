import HardwareIO

/// Decides which user of the control socket a process is; each question names its users.
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

    /// Returns the user behind a connection; `peer` is nil in a simulation.
    func user(_ peer: PeerCredentials?) -> LocalUser {
        guard let peer else { return .root }
        return isOfDashboardsGroup(peer) ? .dashboard : users.user(peer)
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
