import Core
import Glibc
import LinuxIO
import Synchronization
import Testing

/// A directory of one test's own, removed with what is in it.
final class TemporaryDirectory: Sendable {
    let root: String

    init() throws {
        var template = Array("/tmp/roost-test-XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
        }
        root = try #require(made)
    }

    deinit { Self.remove(root) }

    func path(_ name: String) -> String { "\(root)/\(name)" }

    private static func remove(_ path: String) {
        if let stream = opendir(path) {
            while let entry = readdir(stream) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                    pointer.withMemoryRebound(to: CChar.self, capacity: 256) {
                        String(cString: $0)
                    }
                }
                guard name != ".", name != ".." else { continue }
                if unlink("\(path)/\(name)") != 0 { remove("\(path)/\(name)") }
            }
            closedir(stream)
        }
        rmdir(path)
    }
}

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
