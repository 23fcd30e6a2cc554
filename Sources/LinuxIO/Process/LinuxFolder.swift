import FileIO
import Glibc
import HardwareIO

/// The files of a folder of this machine.
package struct LinuxFolder: FolderFiles {
    private let path: String

    /// - Parameter path: The folder, which need not exist yet; nothing here makes it.
    package init(_ path: String) { self.path = path }

    private func place(_ name: String) -> String { "\(path)/\(name)" }

    package func read(_ name: String) throws(StorageError) -> [UInt8]? {
        try Self.attempt { () throws(FileError) in
            try Files.readIfThere(place(name), limit: FolderFilesLimit.byteMax)
        }
    }

    package func write(_ name: String, _ bytes: [UInt8]) throws(StorageError) {
        try Self.attempt { () throws(FileError) in
            try Files.open(place(name), from: .empty, mode: 0o640).write(bytes)
        }
    }

    package func sync(_ name: String) throws(StorageError) {
        try Self.attempt { () throws(FileError) in
            try Files.open(place(name), from: .start, mode: 0).sync()
        }
    }

    package func syncFolder() throws(StorageError) {
        try Self.attempt { () throws(FileError) in try Files.sync(folder: path) }
    }

    private static func attempt<Value>(
        _ body: () throws(FileError) -> Value
    ) throws(StorageError) -> Value {
        do { return try body() } catch { throw StorageError(error) }
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
