import CLinux
import Glibc
import HardwareIO

/// Keeps other processes away from a folder, without a file of its own in it.
///
/// The kernel drops the lock when the process ends, however it ends.
package final class FolderLock: Sendable {
    package let path: String
    /// Numbers that no other folder has, nor one that is made in its place: file system, inode,
    /// and when it was made, as far as the file system keeps that.
    package let identity: [UInt64]
    private let descriptor: OwnedDescriptor

    /// Acquires the lock.
    ///
    /// - Throws: `StorageError`; `.held` with name and pid of who has it.
    package init(path: String) throws(StorageError) {
        do {
            let owned = OwnedDescriptor(
                try check("open", path: path) { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
            )
            (self.path, identity) = (path, try Self.identity(of: owned, path))
            descriptor = owned
        } catch {
            throw StorageError(error, path)
        }
        try Self.lock(descriptor.raw, path)
    }

    /// The numbers of a folder or file; nil when it cannot be opened.
    package static func identity(of path: String) -> [UInt64]? {
        let raw = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        return raw < 0 ? nil : try? identity(of: OwnedDescriptor(raw), path)
    }

    private static func identity(
        of owned: OwnedDescriptor,
        _ path: String
    ) throws(LinuxError) -> [UInt64] {
        var identity = [UInt64](repeating: 0, count: Int(clinux_identity_count))
        try check("statx", path: path) { clinux_identity(owned.raw, &identity) }
        return identity
    }

    /// Refuses while another process has a file or folder locked; one that is not there is free.
    package static func demandFree(_ path: String) throws(StorageError) {
        let raw = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard raw >= 0 else { return }
        let owned = OwnedDescriptor(raw)
        try lock(owned.raw, path)
    }

    /// Locks an open file or folder for this process.
    ///
    /// - Throws: `StorageError.held`, or why it cannot be locked.
    static func lock(_ raw: Int32, _ path: String) throws(StorageError) {
        while flock(raw, LOCK_EX | LOCK_NB) != 0 {
            let code = errno
            guard code != EINTR else { continue }
            guard code == EWOULDBLOCK else { throw StorageError("flock", errno: code, path) }
            throw .held(path: path, holder: Holders.describe(lockOn: raw))
        }
    }
}
