import CLinux
import Glibc
import HardwareIO

/// A local socket for bytes, for a thread that waits by `poll` itself.
///
/// Descriptors do not block. Mode 0660, so that its group may use it.
package final class LocalStreamListener: Sendable {
    /// Connections the kernel keeps waiting; more are refused.
    private static let waitingMax: Int32 = 8

    package let path: String
    private let descriptor: OwnedDescriptor

    /// Listens at `path`, in place of the socket of a process that has died.
    ///
    /// - Throws: `LocalSocketError`; `EADDRINUSE` when another process answers there, or when the
    ///   file is no socket.
    package init(path: String) throws(LocalSocketError) {
        descriptor = try LocalSocket.listen(path: path, waitingMax: Self.waitingMax)
        self.path = path
    }

    deinit { unlink(path) }

    /// Readable while a connection waits.
    package var raw: Int32 { descriptor.raw }

    /// The next connection that waits, for the caller to close; nil when there is none.
    package func accept() -> Int32? {
        let raw = clinux_accept(descriptor.raw)
        return raw >= 0 ? raw : nil
    }
}
