import CLinux
import Glibc
import HardwareIO

/// Opens serial lines, and describes why one cannot be opened.
enum SerialOpening {
    /// Error numbers with which the kernel reports that a device is gone.
    static let goneCodes: Set<Int32> = [
        EIO, ENXIO, ENODEV, ECONNRESET, EPIPE, ETIMEDOUT, EHOSTUNREACH,
    ]

    /// Opens, locks and sets up the line; may block.
    static func open(
        _ path: String,
        _ settings: SerialSettings
    ) throws(SerialError) -> OwnedDescriptor {
        guard [9_600, 19_200, 38_400, 57_600, 115_200].contains(settings.baud) else {
            throw .unsupportedBaud(settings.baud)
        }
        var status = stat()
        guard stat(path, &status) == 0 else { throw failure("stat", errno, path) }
        guard status.st_mode & S_IFMT == S_IFCHR else { throw .notASerialLine(path: path) }
        let raw = Glibc.open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        guard raw >= 0 else { throw failure("open", errno, path) }
        let descriptor = OwnedDescriptor(raw)
        guard clinux_is_terminal(raw) != 0 else {
            throw goneCodes.contains(errno)
                ? .disconnected(path: path) : .notASerialLine(path: path)
        }
        // TIOCEXCL refuses every user but root; flock refuses programs that ask for it: pyserial,
        // and a second Roost.
        guard flock(raw, LOCK_EX | LOCK_NB) == 0 else {
            throw errno == EWOULDBLOCK
                ? .busy(path: path, holder: Holders.describe(of: path))
                : .system(call: "flock", errno: errno, path: path)
        }
        guard clinux_ioctl(raw, clinux_TIOCEXCL, nil) == 0 else {
            throw failure("TIOCEXCL", errno, path)
        }
        guard clinux_serial_configure(raw, UInt32(settings.baud)) == 0 else {
            throw failure("TCSETS2", errno, path)
        }
        tcflush(raw, TCIFLUSH)  // Drops half a frame from before.
        return descriptor
    }

    private static func failure(_ call: String, _ code: Int32, _ path: String) -> SerialError {
        switch code {
        case ENOENT, ENOTDIR, ENXIO, ENODEV: .absent(path: path)
        case EISDIR: .notASerialLine(path: path)
        case EBUSY: .busy(path: path, holder: Holders.describe(of: path))
        case EIO: .disconnected(path: path)
        case EACCES, EPERM: noPermission(path)
        default: .system(call: call, errno: code, path: path)
        }
    }

    private static func noPermission(_ path: String) -> SerialError {
        let words = FileOwnership.of(path)
        return .noPermission(
            path: path,
            owner: words.owner,
            group: words.group,
            mode: words.mode
        )
    }
}

/// Owner, group and mode of a file, as `ls -l` shows them.
struct FileOwnership: Hashable, Sendable {
    let owner: String
    let group: String
    let mode: String

    /// Reads the ownership of a file; question marks when that is not permitted.
    static func of(_ path: String) -> FileOwnership {
        var status = stat()
        guard stat(path, &status) == 0 else {
            return FileOwnership(owner: "?", group: "?", mode: "?")
        }
        return FileOwnership(user: status.st_uid, groupID: status.st_gid, mode: status.st_mode)
    }

    init(owner: String, group: String, mode: String) {
        (self.owner, self.group, self.mode) = (owner, group, mode)
    }

    init(user: uid_t, groupID: gid_t, mode: mode_t) {
        owner = Self.userName(user) ?? String(user)
        group = Self.groupName(groupID) ?? String(groupID)
        let octal = String(mode & 0o7777, radix: 8)
        self.mode = String(repeating: "0", count: max(4 - octal.count, 0)) + octal
    }

    private static func userName(_ user: uid_t) -> String? {
        var (entry, found) = (passwd(), UnsafeMutablePointer<passwd>?.none)
        var buffer = [CChar](repeating: 0, count: 4_096)
        guard getpwuid_r(user, &entry, &buffer, buffer.count, &found) == 0, found != nil else {
            return nil
        }
        return String(cString: entry.pw_name)
    }

    private static func groupName(_ groupID: gid_t) -> String? {
        var (entry, found) = (GroupEntry(), UnsafeMutablePointer<GroupEntry>?.none)
        var buffer = [CChar](repeating: 0, count: 4_096)
        guard getgrgid_r(groupID, &entry, &buffer, buffer.count, &found) == 0, found != nil else {
            return nil
        }
        return String(cString: entry.gr_name)
    }
}

private typealias GroupEntry = Glibc.group
