import CLinux
import Core
import Glibc
import HardwareIO

/// The client's side of the control socket.
package enum LocalSocket {
    /// Connects to a node, or is refused at once: the socket is local.
    ///
    /// - Throws: `LocalSocketError`.
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
