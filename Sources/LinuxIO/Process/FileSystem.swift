import CLinux
import Glibc

/// What a program asks of a file system as a whole.
package enum FileSystem {
    package enum Settled { case device, fileSystem }

    /// What the kernel calls the file system of a path: `ext4`, `vfat`; nil when it does not say.
    package static func kind(of path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0,
            let mounts = TextFile.read("/proc/self/mountinfo", limit: 1 << 18)
        else { return nil }
        let device = BlockDevice.words(status.st_dev)
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
