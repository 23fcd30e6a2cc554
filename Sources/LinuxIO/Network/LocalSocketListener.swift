import CLinux
import Core
import Glibc
import HardwareIO
import Synchronization

/// The node's control socket: mode 0660, so that its group may use it.
package final class LocalSocketListener: LineListener {
    /// Connections the kernel keeps waiting; more are refused.
    private static let waitingMax: Int32 = 128

    package let path: String
    private let loop: EventLoop
    private let watched: Watched
    private let descriptor: Mutex<OwnedDescriptor?>

    /// Listens at `path`, in place of the socket of a node that has died.
    ///
    /// - Throws: `LocalSocketError`; `EADDRINUSE` when another process answers there, or when the
    ///   file is no socket.
    package init(path: String, on loop: EventLoop) throws(LocalSocketError) {
        let descriptor = try LocalSocket.listen(path: path, waitingMax: Self.waitingMax)
        watched = try LocalSocket.register(descriptor, path: path, on: loop)
        self.path = path
        self.loop = loop
        self.descriptor = Mutex(descriptor)
    }

    deinit { close() }

    package func accept() async throws -> any LineConnection {
        while true {
            try Task.checkCancellation()
            guard let listening = descriptor.withLock({ $0 }) else {
                throw LocalSocketError.closed
            }
            let raw = clinux_accept(listening.raw)
            if raw >= 0 {
                return try LocalSocketConnection(OwnedDescriptor(raw), path: path, on: loop)
            }
            switch errno {
            case EAGAIN: try await waitForCaller()
            case EINTR, ECONNABORTED: continue
            default: throw LocalSocketError.system(call: "accept4", errno: errno, path: path)
            }
        }
    }

    package func close() {
        watched.close()
        guard let open = descriptor.withLock({ $0.take() }) else { return }
        _ = open
        unlink(path)
    }

    private func waitForCaller() async throws {
        do { _ = try await watched.readable() } catch LinuxError.closed {
            throw LocalSocketError.closed
        }
    }
}
