import Core
import Glibc
import Synchronization
import Testing

@testable import LinuxIO

/// A non-blocking pipe.
final class Pipe: Sendable {
    let output: Int32
    let input: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        (output, input) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    }

    deinit {
        close(output)
        close(input)
    }

    @discardableResult
    func write(_ bytes: [UInt8]) -> Int { Glibc.write(input, bytes, bytes.count) }

    func read(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let received = Glibc.read(output, &bytes, count)
        return Array(bytes.prefix(max(received, 0)))
    }
}

/// Something that happens once.
final class Flag: Sendable {
    private let value = Mutex(false)
    let signal = Signal()

    var isSet: Bool { value.withLock { $0 } }

    func set() {
        value.withLock { $0 = true }
        signal.raise()
    }
}
