import Glibc
import LinuxIO
import RoostCourier

/// The courier's own folder, `/var/lib/roost-courier`, on a thread that may wait for the card.
///
/// `key.key` is systemd's credential `subscribers-key` where there is one.
package final class CourierFolder: CourierFiles {
    package static let standard = "/var/lib/roost-courier"
    private static let credentialNames = ["key.key": "subscribers-key"]

    private let path: String
    private let credentials: String?
    private let disk: DiskThread

    /// - Parameters:
    ///   - path: The folder; made at the first write.
    ///   - credentials: `$CREDENTIALS_DIRECTORY`; nil without one.
    ///   - disk: Where reading and writing happen.
    package init(path: String = standard, credentials: String?, on disk: DiskThread) {
        (self.path, self.credentials, self.disk) = (path, credentials, disk)
    }

    /// Makes the folder with the credentials that systemd gave this process.
    package static func ofProcess(_ path: String, on disk: DiskThread) -> CourierFolder {
        let credentials = getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) }
        return CourierFolder(path: path, credentials: credentials, on: disk)
    }

    package func read(_ name: String, limit: Int) async throws -> [UInt8]? {
        let (path, credentials) = (path, credentials)
        return try await disk.run {
            if let credentials, let credential = Self.credentialNames[name] {
                let found = try Self.read("\(credentials)/\(credential)", limit, isOurs: false)
                if let found { return found }
            }
            return try Self.read("\(path)/\(name)", limit, isOurs: true)
        }
    }

    package func replace(_ name: String, _ bytes: [UInt8]) async throws {
        let path = path
        try await disk.run { try Self.replace(path, name, bytes) }
    }

    // MARK: On the disk's thread

    private static func read(
        _ path: String,
        _ limit: Int,
        isOurs: Bool
    ) throws(CourierFilesError) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw failure(path, "cannot be read")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw CourierFilesError("\(path) is no file")
        }
        guard !isOurs || status.st_mode & 0o077 == 0 else {
            let mode = String(status.st_mode & 0o777, radix: 8)
            throw CourierFilesError(
                "\(path) has mode 0\(mode), so that others may read it: chmod 600 \(path)"
            )
        }
        guard status.st_size <= limit else {
            throw CourierFilesError("\(path) has more than \(limit) bytes")
        }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        var count = 0
        while count < bytes.count {
            let room = bytes.count - count
            let got = bytes.withUnsafeMutableBytes { buffer in
                Glibc.read(descriptor, buffer.baseAddress.map { $0 + count }, room)
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw failure(path, "cannot be read") }
            guard got > 0 else { break }
            count += got
        }
        return Array(bytes[..<count])
    }

    private static func replace(
        _ folder: String,
        _ name: String,
        _ bytes: [UInt8]
    ) throws(CourierFilesError) {
        if access(folder, F_OK) != 0 {
            guard mkdir(folder, 0o700) == 0 else { throw failure(folder, "cannot be made") }
        }
        let (path, temporary) = ("\(folder)/\(name)", "\(folder)/.\(name).new")
        unlink(temporary)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
        let descriptor = open(temporary, flags, 0o600)
        guard descriptor >= 0 else { throw failure(temporary, "cannot be written") }
        defer { close(descriptor) }
        var written = 0
        while written < bytes.count {
            let room = bytes.count - written
            let count = bytes.withUnsafeBytes { buffer in
                write(descriptor, buffer.baseAddress.map { $0 + written }, room)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure(temporary, "cannot be written") }
            written += count
        }
        var status = stat()
        if geteuid() == 0, stat(folder, &status) == 0 {
            // Files written by a command of root must be readable for the courier.
            guard fchown(descriptor, status.st_uid, status.st_gid) == 0 else {
                throw failure(temporary, "cannot be given to the folder's owner")
            }
        }
        guard fsync(descriptor) == 0, rename(temporary, path) == 0 else {
            throw failure(path, "cannot be written")
        }
        let place = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard place >= 0 else { throw failure(folder, "cannot be opened") }
        defer { close(place) }
        guard fsync(place) == 0 else { throw failure(folder, "cannot be written") }
    }

    private static func failure(_ path: String, _ words: String) -> CourierFilesError {
        CourierFilesError("\(path) \(words): \(String(cString: strerror(errno)))")
    }
}
