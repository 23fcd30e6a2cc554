import FileIO
import Glibc
import HardwareIO
import LinuxIO

/// Writes settings files only when their content changes.
enum SettingFile {
    /// Replaces a file in one step unless it has this text already; makes missing folders.
    ///
    /// A file with the same text keeps its mode.
    ///
    /// - Returns: Whether the file was written.
    @discardableResult
    static func put(_ text: String, _ path: String, mode: mode_t) throws(StorageError) -> Bool {
        let bytes = Array(text.utf8)
        // Another user may own the folder: a link there is replaced, and leads nowhere.
        let present = Files.start(of: path, limit: bytes.count + 1, allowing: [])
        guard present != bytes else { return false }
        makeFolder(of: path)
        try WholeFile.write(bytes, to: path, mode: mode)
        return true
    }

    /// Points a symbolic link at `target`, in one step, unless it points there already.
    static func link(_ path: String, to target: String) throws(StorageError) {
        guard Files.target(of: path) != target else { return }
        let fresh = path + ".new"
        unlink(fresh)
        guard symlink(target, fresh) == 0, rename(fresh, path) == 0 else {
            throw StorageError("symlink", errno: errno, path)
        }
    }

    /// Makes the missing folders above a path, with mode 755 less the umask; ignores failures.
    static func makeFolder(of path: String) {
        let parts = path.split(separator: "/").dropLast()
        let start = path.hasPrefix("/") ? "/" : ""
        for count in parts.indices {
            mkdir(start + parts[...count].joined(separator: "/"), 0o755)
        }
    }
}
