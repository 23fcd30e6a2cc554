import Glibc
import HardwareIO

/// Who may say for whom it asks: root, this process' own user, the dashboard, members of `roost`.
///
/// Reads the system's user database, which may be a file or a server.
struct GroupRight {
    private static let group = "roost"
    private static let dashboard = "roost-web"
    /// Members of the group that are looked at.
    private static let memberLimit = 1_024

    func admits(_ peer: PeerCredentials) -> Bool {
        if peer.userID == 0 || peer.userID == geteuid() { return true }
        guard let user = Self.userName(peer.userID) else { return false }
        if user == Self.dashboard { return true }
        guard let entry = getgrnam(Self.group) else { return false }
        if entry.pointee.gr_gid == peer.groupID { return true }
        guard let members = entry.pointee.gr_mem else { return false }
        for index in 0..<Self.memberLimit {
            guard let member = members[index] else { return false }
            if String(cString: member) == user { return true }
        }
        return false
    }

    private static func userName(_ id: UInt32) -> String? {
        getpwuid(id).map { String(cString: $0.pointee.pw_name) }
    }
}
