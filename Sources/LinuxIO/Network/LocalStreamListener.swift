import CLinux
import Glibc
import HardwareIO
import Synchronization

/// A local socket for bytes, for a thread that waits by `poll` itself.
///
/// Descriptors do not block. Mode 0660, so that its group may use it.
package final class LocalStreamListener: Sendable {
    /// Connections the kernel keeps waiting; more are refused.
    private static let waitingMax: Int32 = 8

    package let path: String
    private let descriptor: OwnedDescriptor
    private let users: LocalUsers
    private let isClosed = Mutex(false)

    /// Listens at `path`, in place of the socket of a process that has died.
    ///
    /// - Throws: `LocalSocketError`; `EADDRINUSE` when another process answers there, or when the
    ///   file is no socket.
    package init(
        path: String,
        users: LocalUsers = .ofSystem
    ) throws(LocalSocketError) {
        descriptor = try LocalSocket.listen(path: path, waitingMax: Self.waitingMax)
        (self.path, self.users) = (path, users)
    }

    deinit { close() }

    /// Removes the socket's name, so that another may listen there; connections stay.
    package func close() {
        let isFirst = isClosed.withLock { isClosed in
            defer { isClosed = true }
            return !isClosed
        }
        if isFirst { unlink(path) }
    }

    /// Readable while a connection waits.
    package var raw: Int32 { descriptor.raw }

    /// The next connection that waits.
    ///
    /// - Parameter admitted: One of another user is closed.
    /// - Returns: It, for the caller to close; nil when there is none.
    package func accept(from admitted: Set<LocalUser>) -> Int32? {
        while true {
            let raw = clinux_accept(descriptor.raw)
            guard raw >= 0 else { return nil }
            if let peer = PeerCredentials(of: raw), admitted.contains(users.user(peer)) {
                return raw
            }
            Glibc.close(raw)
        }
    }
}
