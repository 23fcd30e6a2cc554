import CLinux
import Core
import Glibc

/// Hears that a route of this machine changed, by rtnetlink(7).
package final class RouteSocket: Sendable {
    private let descriptor: OwnedDescriptor
    private let watched: Watched

    /// - Throws: `LinuxError` when the kernel gives no socket.
    package init(on loop: EventLoop) throws(LinuxError) {
        descriptor = OwnedDescriptor(try check("route socket") { clinux_route_socket() })
        watched = try loop.register(descriptor.raw)
    }

    deinit { watched.close() }

    /// Waits for a change since the last call.
    ///
    /// - Throws: `LinuxError`; `CancellationError`.
    package func change() async throws { _ = try await watched.readable() }

    /// Reads away what the kernel said: its tables say it better.
    package func drain() {
        var buffer = [UInt8](repeating: 0, count: 8_192)
        while true {
            let count = recv(descriptor.raw, &buffer, buffer.count, 0)
            // ENOBUFS: messages were lost, which is no matter here.
            guard count > 0 || errno == EINTR || errno == ENOBUFS else { return }
        }
    }
}
