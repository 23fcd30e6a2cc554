import FileIO
import Glibc
import HardwareIO
import LinuxIO

/// The boot partition, which is mounted read-only: made writable for one write at a time.
package struct BootPartition: Sendable {
    package let folder: String
    /// Held while it is writable, so that one write does not end another's.
    private let lockPath: String

    /// - Parameters:
    ///   - folder: Where it is mounted: `/boot/firmware`.
    package init(folder: String, lockPath: String = "/run/roost-boot.lock") {
        (self.folder, self.lockPath) = (folder, lockPath)
    }

    /// Whether a file system of its own is mounted there.
    var isMounted: Bool {
        var (own, above) = (stat(), stat())
        return stat(folder, &own) == 0 && stat(folder + "/..", &above) == 0
            && own.st_dev != above.st_dev
    }

    /// The first bytes of a file as text; nil when there is none.
    package func text(_ name: String) -> String? { Files.text("\(folder)/\(name)") }

    /// Writes a file of one sector, in place where it has that size already.
    ///
    /// - Parameters:
    ///   - sector: 512 bytes.
    package func write(sector: [UInt8], _ name: String) throws(StorageError) {
        let path = "\(folder)/\(name)"
        try writable { () throws(StorageError) in
            var status = stat()
            guard stat(path, &status) == 0, Int(status.st_size) == sector.count else {
                return try WholeFile.write(sector, to: path, mode: 0o600)
            }
            try overwrite(sector, name)
        }
    }

    /// Writes a file again where its bytes are: the card keeps no copy of the old ones.
    ///
    /// - Parameters:
    ///   - bytes: As many as the file has.
    func overwrite(_ bytes: [UInt8], _ name: String) throws(StorageError) {
        let path = "\(folder)/\(name)"
        do throws(FileError) {
            let file = try Files.open(path, from: .start, mode: 0)
            try file.write(bytes)
            try file.sync()
        } catch { throw StorageError(error) }
    }

    /// Removes a file, with zeros in place of what it held.
    func erase(_ name: String) throws(StorageError) {
        let path = "\(folder)/\(name)"
        var status = stat()
        guard stat(path, &status) == 0 else { return }
        try overwrite([UInt8](repeating: 0, count: Int(status.st_size)), name)
        guard unlink(path) == 0 else { throw StorageError("unlink", errno: errno, path) }
        do { try Files.sync(folder: Files.folder(of: path)) } catch { throw StorageError(error) }
    }

    /// Runs `body` while files can be written, and makes the partition read-only again.
    ///
    /// - Throws: `StorageError`; `.readOnly` where the card refuses.
    package func writable<Value>(
        _ body: () throws(StorageError) -> Value
    ) throws(StorageError) -> Value {
        let lock = try? Files.open(lockPath, from: .end, mode: 0o600)
        defer { withExtendedLifetime(lock) {} }
        if let lock { while flock(lock.descriptor, LOCK_EX) != 0, errno == EINTR {} }
        guard isMounted, isReadOnly else { return try body() }
        try remount(isReadOnly: false)
        // A partition that stays writable is no worse for the station; the next write tries again.
        defer { try? remount(isReadOnly: true) }
        return try body()
    }

    private var isReadOnly: Bool {
        var status = statvfs()
        return statvfs(folder, &status) == 0 && status.f_flag & UInt(ST_RDONLY) != 0
    }

    private func remount(isReadOnly: Bool) throws(StorageError) {
        let kind = isReadOnly ? UInt(MS_RDONLY) : 0
        let flags = UInt(MS_REMOUNT) | UInt(MS_NOATIME) | kind
        guard mount("none", folder, nil, flags, nil) == 0 else {
            throw StorageError("mount", errno: errno, folder)
        }
    }
}
