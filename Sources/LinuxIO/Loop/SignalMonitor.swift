import CLinux
import Core
import Glibc

/// Delivers signals as events of the loop, so that none interrupts a system call.
package final class SignalMonitor: Sendable {
    /// The signals of a daemon: stop, stop from a terminal, read the configuration again.
    static let daemonSignals: [Int32] = [SIGTERM, SIGINT, SIGHUP]

    private let descriptor: OwnedDescriptor
    private let watched: Watched

    /// Blocks signals on the calling thread and on those it starts later.
    ///
    /// Call it first in `main`: a thread that does not block them would receive them.
    package static func block(_ signals: [Int32] = daemonSignals) {
        var mask = set(of: signals)
        pthread_sigmask(SIG_BLOCK, &mask, nil)
    }

    /// Watches signals that are blocked already.
    package init(
        _ signals: [Int32] = daemonSignals,
        on loop: EventLoop
    ) throws(LinuxError) {
        var mask = Self.set(of: signals)
        descriptor = OwnedDescriptor(
            try check("signalfd") { signalfd(-1, &mask, Int32(SFD_NONBLOCK | SFD_CLOEXEC)) }
        )
        watched = try loop.register(descriptor.raw)
    }

    deinit { watched.close() }

    /// Waits for the next signal and returns its number.
    ///
    /// - Throws: `LinuxError`; `CancellationError`.
    package func next() async throws -> Int32 {
        var entry = signalfd_siginfo()
        let size = MemoryLayout<signalfd_siginfo>.size
        while true {
            try Task.checkCancellation()
            let count = read(descriptor.raw, &entry, size)
            if count == size { return Int32(entry.ssi_signo) }
            guard count < 0, errno == EAGAIN || errno == EINTR else {
                throw LinuxError.system(call: "read", errno: errno, path: "signalfd")
            }
            _ = try await watched.readable()
        }
    }

    package func close() { watched.close() }

    private static func set(of signals: [Int32]) -> sigset_t {
        var mask = sigset_t()
        sigemptyset(&mask)
        for signal in signals { sigaddset(&mask, signal) }
        return mask
    }
}
