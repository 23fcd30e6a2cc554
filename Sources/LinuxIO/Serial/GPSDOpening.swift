import CLinux
import Core
import Glibc
import HardwareIO

/// Connects to a gpsd, so that its sentences are read as those of a serial line.
enum GPSDOpening {
    /// Time limit for the connection; a machine that is off does not answer at all.
    static let patience: Duration = .seconds(5)

    /// Connects.
    ///
    /// - Throws: `SerialError`; `CancellationError`.
    static func open(
        _ address: GPSDAddress,
        path: String,
        on loop: EventLoop
    ) async throws -> OwnedDescriptor {
        let flags = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let raw = socket(AF_INET, flags, 0)
        guard raw >= 0 else { throw SerialError.system(call: "socket", errno: errno, path: path) }
        let descriptor = OwnedDescriptor(raw)
        let watched = try loop.register(raw)
        defer { watched.close() }
        guard clinux_tcp_connect(raw, address.host, 4, address.port) != 0 else { return descriptor }
        guard errno == EINPROGRESS else { throw failure(errno, path) }
        let deadline = loop.clock.now.advanced(by: patience)
        guard try await watched.writable(until: deadline) else {
            throw SerialError.noServer(path: path)
        }
        let code = clinux_socket_error(raw)
        guard code == 0 else { throw failure(code, path) }
        return descriptor
    }

    private static func failure(_ code: Int32, _ path: String) -> SerialError {
        switch code {
        case ECONNREFUSED, ECONNRESET, ETIMEDOUT, EHOSTUNREACH, ENETUNREACH, ENETDOWN:
            .noServer(path: path)
        default: .system(call: "connect", errno: code, path: path)
        }
    }
}
