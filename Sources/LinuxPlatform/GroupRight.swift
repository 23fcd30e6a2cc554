import Glibc
import HardwareIO
import LinuxIO

/// Decides which users may send a request on behalf of a named person.
///
/// The other services are in that group, too, and ask for themselves alone.
///
/// Reads the system's user database, which may be a file or a server.
struct GroupRight {
    private static let group = "roost"
    /// Members of the group that are looked at.
    private static let memberLimit = 1_024

    func admits(_ peer: PeerCredentials) -> Bool {
        switch LocalUsers.ofSystem.user(peer) {
        case .root, .dashboard: return true
        case .station, .courier, .camera: return false
        case .person, .unknown: break
        }
        guard let user = Self.userName(peer.userID) else { return false }
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
