import Glibc
import HardwareIO
import LinuxIO

/// Ends when standard input is closed, that is when the parent process ends.
struct StandardInput: Sendable {
    private let watched: Watched

    init(on loop: EventLoop) throws {
        _ = fcntl(0, F_SETFL, O_NONBLOCK)
        watched = try loop.register(0)
    }

    /// Reads to the end, and throws away what comes.
    func waitForEnd() async throws {
        var buffer = [UInt8](repeating: 0, count: 256)
        while !Task.isCancelled {
            let count = read(0, &buffer, buffer.count)
            if count == 0 { return }
            if count < 0, errno != EAGAIN, errno != EINTR { return }
            if count < 0 { _ = try await watched.readable(until: nil, tolerance: .zero) }
        }
    }
}
