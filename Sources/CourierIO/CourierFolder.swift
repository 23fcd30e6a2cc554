import FileIO
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
        do {
            return isOurs
                ? try Files.readSecret(path, limit: limit)
                : try Files.readIfThere(path, limit: limit)
        } catch { throw CourierFilesError("\(error)") }
    }

    private static func replace(
        _ folder: String,
        _ name: String,
        _ bytes: [UInt8]
    ) throws(CourierFilesError) {
        if access(folder, F_OK) != 0, mkdir(folder, 0o700) != 0 {
            throw CourierFilesError("\(folder) cannot be made: \(String(cString: strerror(errno)))")
        }
        do {
            // Files written by a command of root must be readable for the courier.
            let owner = geteuid() == 0 ? FileOwner(of: folder) : nil
            try Files.replace("\(folder)/\(name)", with: bytes, mode: 0o600, owner: owner)
        } catch { throw CourierFilesError("\(error)") }
    }
}
