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
        try LocalSocket.demandShort(path)
        try Self.demandFree(path)
        let descriptor = try LocalSocket.open(path)
        // Under another name first: as soon as the final name exists, clients can connect to it.
        let nascent = "\(path).\(getpid())"
        try LocalSocket.demandShort(nascent)
        unlink(nascent)
        try Self.bind(descriptor, to: nascent)
        guard listen(descriptor.raw, Self.waitingMax) == 0, rename(nascent, path) == 0 else {
            let code = errno
            unlink(nascent)
            throw .system(call: "listen", errno: code, path: path)
        }
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

    private static func bind(
        _ descriptor: OwnedDescriptor,
        to path: String
    ) throws(LocalSocketError) {
        // The mode is the socket's from its first moment: the umask is the process's, so fchmod.
        guard fchmod(descriptor.raw, 0o660) == 0 else {
            throw .system(call: "fchmod", errno: errno, path: path)
        }
        guard clinux_unix_bind(descriptor.raw, path) == 0 else {
            throw .system(call: "bind", errno: errno, path: path)
        }
        try setMode(path)
    }

    private static func setMode(_ path: String) throws(LocalSocketError) {
        guard chmod(path, 0o660) == 0 else {
            throw .system(call: "chmod", errno: errno, path: path)
        }
    }

    /// Refuses a path where another process listens, and a file that is no socket.
    private static func demandFree(_ path: String) throws(LocalSocketError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        let isSocket = status.st_mode & S_IFMT == S_IFSOCK
        let probe = try LocalSocket.open(path)
        guard isSocket, clinux_unix_connect(probe.raw, path) != 0, errno == ECONNREFUSED else {
            throw .system(call: "bind", errno: EADDRINUSE, path: path)
        }
    }
}
