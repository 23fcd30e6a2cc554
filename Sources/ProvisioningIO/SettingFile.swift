import Glibc
import HardwareIO

/// Files of settings, which are written when they change and not otherwise.
enum SettingFile {
    /// - Returns: Whether it was written.
    @discardableResult
    static func put(_ text: String, _ path: String, mode: mode_t) throws(StorageError) -> Bool {
        let bytes = Array(text.utf8)
        // Another user may own the folder: a link there is replaced, and leads nowhere.
        let present = WholeFile.read(path, limit: bytes.count + 1, flags: O_NOFOLLOW)
        guard present != bytes else { return false }
        makeFolder(of: path)
        try WholeFile.write(bytes, to: path, mode: mode)
        return true
    }

    /// Makes a link lead elsewhere, in one step.
    static func link(_ path: String, to target: String) throws(StorageError) {
        var buffer = [CChar](repeating: 0, count: 4_096)
        let count = readlink(path, &buffer, buffer.count - 1)
        let present = String(decoding: buffer.prefix(max(0, count)).map(UInt8.init), as: UTF8.self)
        guard present != target else { return }
        let fresh = path + ".new"
        unlink(fresh)
        guard symlink(target, fresh) == 0, rename(fresh, path) == 0 else {
            throw WholeFile.error("symlink", path)
        }
    }

    static func makeFolder(of path: String) {
        let parts = path.split(separator: "/").dropLast()
        let start = path.hasPrefix("/") ? "/" : ""
        for count in parts.indices {
            mkdir(start + parts[...count].joined(separator: "/"), 0o755)
        }
    }
}
