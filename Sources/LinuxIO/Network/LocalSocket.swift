import CLinux
import Core
import Glibc
import HardwareIO

/// The client's side of the control socket.
package enum LocalSocket {
    /// Connects to a node, or is refused at once: the socket is local.
    package static func connect(
        path: String,
        on loop: EventLoop
    ) throws(LocalSocketError) -> any LineConnection {
        try demandShort(path)
        let descriptor = try open(path)
        while clinux_unix_connect(descriptor.raw, path) != 0 {
            guard errno == EINTR else {
                throw .system(call: "connect", errno: errno, path: path)
            }
        }
        return try LocalSocketConnection(
            descriptor,
            path: path,
            on: loop,
            lineMax: LocalSocketConnection.outgoingMax
        )
    }

    /// Listens at `path`, in place of the socket of a process that has died.
    ///
    /// - Throws: `LocalSocketError`; `EADDRINUSE` when another process answers there, or when the
    ///   file is no socket.
    static func listen(path: String, waitingMax: Int32) throws(LocalSocketError) -> OwnedDescriptor
    {
        try demandShort(path)
        try demandFree(path)
        let descriptor = try open(path)
        // Under another name first: as soon as the final name exists, clients can connect to it.
        let nascent = "\(path).\(getpid())"
        try demandShort(nascent)
        unlink(nascent)
        try bind(descriptor, to: nascent)
        guard Glibc.listen(descriptor.raw, waitingMax) == 0, rename(nascent, path) == 0 else {
            let code = errno
            unlink(nascent)
            throw .system(call: "listen", errno: code, path: path)
        }
        return descriptor
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
        guard chmod(path, 0o660) == 0 else {
            throw .system(call: "chmod", errno: errno, path: path)
        }
    }

    /// Refuses a path where another process listens, and a file that is no socket.
    private static func demandFree(_ path: String) throws(LocalSocketError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        let isSocket = status.st_mode & S_IFMT == S_IFSOCK
        let probe = try open(path)
        guard isSocket, clinux_unix_connect(probe.raw, path) != 0, errno == ECONNREFUSED else {
            throw .system(call: "bind", errno: EADDRINUSE, path: path)
        }
    }

    static func demandShort(_ path: String) throws(LocalSocketError) {
        guard path.utf8.count <= Int(clinux_unix_path_max) else {
            throw .pathTooLong(path: path)
        }
    }

    static func open(_ path: String) throws(LocalSocketError) -> OwnedDescriptor {
        let flags = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let raw = socket(AF_UNIX, flags, 0)
        guard raw >= 0 else { throw .system(call: "socket", errno: errno, path: path) }
        return OwnedDescriptor(raw)
    }

    static func register(
        _ descriptor: OwnedDescriptor,
        path: String,
        on loop: EventLoop
    ) throws(LocalSocketError) -> Watched {
        do {
            return try loop.register(descriptor.raw)
        } catch {
            guard case .system(let call, let code, _) = error else { throw .closed }
            throw .system(call: call, errno: code, path: path)
        }
    }
}
