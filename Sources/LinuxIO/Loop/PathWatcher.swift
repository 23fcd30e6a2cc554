import CLinux
import Core
import Glibc

/// Waits for a file to come into being, without looking again and again.
///
/// It watches the nearest directory that exists. A symbolic link counts once its target exists; a
/// target that comes later than its link is noticed only when the link is replaced.
package struct PathWatcher: Sendable {
    private let loop: EventLoop

    package init(on loop: EventLoop) { self.loop = loop }

    /// Returns when `path` exists.
    ///
    /// - Parameter path: An absolute path.
    /// - Throws: `LinuxError`; `CancellationError`.
    package func waitForPath(_ path: String) async throws {
        precondition(path.hasPrefix("/"), "a watched path is absolute")
        guard access(path, F_OK) != 0 else { return }
        let descriptor = OwnedDescriptor(
            try check("inotify_init1") { inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC)) }
        )
        let watched = try loop.register(descriptor.raw)
        defer { watched.close() }
        while !Task.isCancelled {
            guard let watch = try Self.watchNearest(path, descriptor.raw) else { continue }
            // Looked at after the watch is set, so that nothing falls between.
            if access(path, F_OK) == 0 { return }
            if Self.nearest(path) == watch.folder {
                _ = try await watched.readable()
                Self.drain(descriptor.raw)
            }
            if access(path, F_OK) == 0 { return }
            inotify_rm_watch(descriptor.raw, watch.number)
            Self.drain(descriptor.raw)
        }
        throw CancellationError()
    }

    /// Watches the nearest directory; nil when it went away in between.
    private static func watchNearest(
        _ path: String,
        _ descriptor: Int32
    ) throws(LinuxError) -> (number: Int32, folder: String)? {
        let folder = nearest(path)
        let mask = UInt32(
            IN_CREATE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF
        )
        let number = inotify_add_watch(descriptor, folder, mask)
        guard number >= 0 else {
            guard errno == ENOENT || errno == ENOTDIR else {
                throw .system(call: "inotify_add_watch", errno: errno, path: folder)
            }
            return nil
        }
        return (number, folder)
    }

    /// The deepest directory above `path` that exists.
    static func nearest(_ path: String) -> String {
        var folder = path[...]
        while let slash = folder.lastIndex(of: "/") {
            folder = folder[..<slash]
            let candidate = folder.isEmpty ? "/" : String(folder)
            if access(candidate, F_OK) == 0 { return candidate }
        }
        return "/"
    }

    private static func drain(_ descriptor: Int32) {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while read(descriptor, &buffer, buffer.count) > 0 {}
    }
}
