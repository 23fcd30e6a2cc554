import CLinux
import FileIO
import Glibc

/// Operations on a file system as a whole.
package enum FileSystem {
    package enum Settled { case device, fileSystem }

    /// Name of a path's file system: `ext4`, `vfat`; nil when the kernel does not report it.
    package static func kind(of path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0,
            let mounts = Files.text("/proc/self/mountinfo", limit: 1 << 18)
        else { return nil }
        let device = BlockDevice.text(status.st_dev)
        for line in mounts.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count > 2, fields[2] == device, let dash = fields.firstIndex(of: "-"),
                dash + 1 < fields.count
            else { continue }
            return String(fields[dash + 1])
        }
        return nil
    }

    /// Brings everything that waits in memory to the device: data, journal and metadata.
    ///
    /// It is what the kernel's timers do within half a minute of silence, at once. Of other file
    /// systems nothing is written.
    ///
    /// - Parameter path: Any file or folder on it; for a block device, the device.
    /// - Returns: What was brought to the device.
    @discardableResult
    package static func settle(_ path: String) throws(LinuxError) -> Settled {
        let file = OwnedDescriptor(
            try check("open", path: path) { Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        )
        var status = stat()
        try check("fstat", path: path) { fstat(file.raw, &status) }
        if status.st_mode & S_IFMT == S_IFBLK {
            try check("fsync", path: path) { fsync(file.raw) }
            return .device
        }
        try check("syncfs", path: path) { clinux_syncfs(file.raw) }
        return .fileSystem
    }
}
