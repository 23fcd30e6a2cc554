import Glibc
import HardwareIO

/// The files of a folder of this machine.
package struct LinuxFolder: FolderFiles {
    private let path: String

    /// - Parameter path: The folder, which need not exist yet; nothing here makes it.
    package init(_ path: String) { self.path = path }

    private func place(_ name: String) -> String { "\(path)/\(name)" }

    package func read(_ name: String) throws(StorageError) -> [UInt8]? {
        let place = place(name)
        // A pipe or another special file must not block the start.
        let raw = open(place, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW)
        guard raw >= 0 else {
            if errno == ENOENT { return nil }
            throw Self.error("open", place)
        }
        let file = OwnedDescriptor(raw)
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4_096)
        while bytes.count <= FolderFilesLimit.byteMax {
            let count = Glibc.read(file.raw, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Self.error("read", place) }
            guard count > 0 else { return bytes }
            bytes += chunk.prefix(count)
        }
        throw .failed(call: "read", errno: EFBIG, path: place)
    }

    package func write(_ name: String, _ bytes: [UInt8]) throws(StorageError) {
        let place = place(name)
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW
        let raw = open(place, flags, 0o640)
        guard raw >= 0 else { throw Self.error("open", place) }
        let file = OwnedDescriptor(raw)
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file.raw, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.error("write", place) }
            rest = rest.dropFirst(count)
        }
    }

    package func sync(_ name: String) throws(StorageError) { try sync(at: place(name), O_RDWR) }

    package func syncFolder() throws(StorageError) { try sync(at: path, O_RDONLY | O_DIRECTORY) }

    private func sync(at place: String, _ flags: Int32) throws(StorageError) {
        let raw = open(place, flags | O_CLOEXEC)
        guard raw >= 0 else { throw Self.error("open", place) }
        let file = OwnedDescriptor(raw)
        guard fsync(file.raw) == 0 else { throw Self.error("fsync", place) }
    }

    package func link(_ name: String, as other: String) throws(StorageError) {
        guard Glibc.link(place(name), place(other)) != 0, errno != ENOENT else { return }
        throw Self.error("link", place(other))
    }

    package func rename(_ name: String, to other: String) throws(StorageError) {
        guard Glibc.rename(place(name), place(other)) == 0 else {
            throw Self.error("rename", place(name))
        }
    }

    package func remove(_ name: String) throws(StorageError) {
        guard unlink(place(name)) != 0, errno != ENOENT else { return }
        throw Self.error("unlink", place(name))
    }

    /// Error of the last call, which failed.
    private static func error(_ call: String, _ place: String) -> StorageError {
        StorageError(call, errno: errno, place)
    }
}
