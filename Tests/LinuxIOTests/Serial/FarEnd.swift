import CLinux
import Core
import Glibc
import Synchronization
import Testing

@testable import LinuxIO

/// The master of a pseudo-terminal, played by the test.
final class FarEnd: Sendable {
    private struct State {
        var descriptor: OwnedDescriptor?
        var watched: Watched?
    }

    let path: String
    private let state: Mutex<State>

    init() throws {
        let raw = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        try #require(raw >= 0)
        path = "/dev/pts/\(clinux_pty_number(raw))"
        state = Mutex(State(descriptor: OwnedDescriptor(raw)))
    }

    deinit { close() }

    var raw: Int32 { state.withLock { $0.descriptor?.raw } ?? -1 }

    func watch(on loop: EventLoop) throws {
        let watched = try loop.register(raw)
        state.withLock { $0.watched = watched }
    }

    func write(_ bytes: [UInt8]) { _ = Glibc.write(raw, bytes, bytes.count) }

    func read(_ count: Int, until deadline: MonotonicInstant) async throws -> [UInt8] {
        let watched = try #require(state.withLock { $0.watched })
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while bytes.count < count {
            let received = Glibc.read(raw, &buffer, buffer.count)
            bytes += buffer.prefix(max(received, 0))
            guard received <= 0 else { continue }
            guard try await watched.readable(until: deadline) else { break }
        }
        return bytes
    }

    func close() {
        let (descriptor, watched) = state.withLock { state in
            (state.descriptor.take(), state.watched.take())
        }
        watched?.close()
        withExtendedLifetime(descriptor) {}
    }
}
