import Glibc
import Updates

/// Where an update comes from, read once and in order.
package final class UpdateSource {
    private static let pieceByteCount = 1 << 17

    private let name: String
    private let descriptor: Int32
    private var process: pid_t = 0

    /// A file, or standard input for `-`.
    ///
    /// - Throws: `UpdateError.failed`.
    package init(path: String) throws(UpdateError) {
        name = path == "-" ? "standard input" : path
        descriptor = path == "-" ? dup(0) : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw .failed("\(path): \(String(cString: strerror(errno))); correct the path")
        }
    }

    /// What a program writes to its standard output.
    ///
    /// - Parameter command: The program's path, and its arguments.
    /// - Throws: `UpdateError.failed`.
    package init(command: [String]) throws(UpdateError) {
        name = command[0]
        let ends = try ChildProgram.pipe()
        descriptor = ends.read
        defer { close(ends.write) }
        process = try ChildProgram.start(command, input: nil, output: ends.write)
    }

    deinit {
        close(descriptor)
        guard process > 0 else { return }
        kill(process, SIGTERM)
        _ = ChildProgram.wait(process)
    }

    /// The next bytes; empty at the end.
    ///
    /// - Throws: `UpdateError.failed`; for a program also when it ends with a failure.
    package func next() throws(UpdateError) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: Self.pieceByteCount)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw .failed("\(name): \(String(cString: strerror(errno)))")
            }
            if count == 0 { try demandSuccess() }
            return Array(buffer.prefix(count))
        }
    }

    private func demandSuccess() throws(UpdateError) {
        guard process > 0 else { return }
        defer { process = 0 }
        guard ChildProgram.wait(process) == 0 else {
            throw .failed("the file did not arrive: see above, then try again")
        }
    }
}
