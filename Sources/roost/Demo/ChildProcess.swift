import ClientSupport
import Core
import Glibc
import LinuxIO

/// A process that ends when its standard input does, so that it never outlives us.
///
/// It gets a process group of its own: an interrupt from the keyboard reaches us alone, and we stop
/// our children in order.
final class ChildProcess: Sendable {
    let processID: pid_t
    private let input: Int32
    private let output: Int32
    private let watched: Watched

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - program: Its path; by default this very program.
    ///   - arguments: Without the program's name.
    ///   - errorPath: Where its standard error goes.
    ///   - loop: The loop that watches its standard output.
    /// - Throws: `ClientFailure`.
    init(
        program: String = "/proc/self/exe",
        _ arguments: [String],
        errorPath: String,
        on loop: EventLoop
    ) throws {
        let (inputRead, inputWrite) = try Self.pipe()
        let (outputRead, outputWrite) = try Self.pipe()
        defer {
            close(inputRead)
            close(outputWrite)
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, inputRead, 0)
        posix_spawn_file_actions_adddup2(&actions, outputWrite, 1)
        let flags = O_WRONLY | O_CREAT | O_APPEND
        posix_spawn_file_actions_addopen(&actions, 2, errorPath, flags, 0o600)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        var process: pid_t = 0
        var vector = (["roost"] + arguments).map { strdup($0) }
        defer { for pointer in vector { free(pointer) } }
        vector.append(nil)
        let failure = posix_spawn(&process, program, &actions, &attributes, vector, environ)
        guard failure == 0 else {
            throw ClientFailure(
                message: "cannot start \(arguments[0]): errno \(failure)",
                exitCode: 1
            )
        }
        (processID, input, output) = (process, inputWrite, outputRead)
        watched = try loop.register(outputRead)
    }

    /// The first line of its output, or what it wrote before it ended.
    func firstLine(until deadline: MonotonicInstant) async throws -> String {
        var text: [UInt8] = []
        while !text.contains(UInt8(ascii: "\n")) {
            guard try await watched.readable(until: deadline, tolerance: .zero),
                let bytes = readSome(), !bytes.isEmpty
            else { break }
            text += bytes
        }
        return String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    /// Closes its input and waits for its end.
    ///
    /// - Parameter deadline: After which it is killed.
    /// - Returns: Its exit status, or nil when it had to be killed or died of a signal.
    /// - Throws: `CancellationError`, or why it cannot be watched.
    func stop(until deadline: MonotonicInstant) async throws -> Int32? {
        close(input)
        return try await waitForExit(until: deadline)
    }

    /// Reads its output to the end, then its exit status.
    private func waitForExit(until deadline: MonotonicInstant) async throws -> Int32? {
        var isOver = false
        while !isOver, try await watched.readable(until: deadline, tolerance: .zero) {
            isOver = readSome()?.isEmpty ?? false
        }
        watched.close()
        close(output)
        if !isOver { kill(processID, SIGKILL) }
        var status: Int32 = 0
        guard waitpid(processID, &status, 0) == processID, status & 0x7F == 0 else { return nil }
        return status >> 8 & 0xFF
    }

    /// Reads the bytes that are ready: nil when none are, empty at the end.
    private func readSome() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = read(output, &buffer, buffer.count)
        if count < 0 { return errno == EAGAIN || errno == EINTR ? nil : [] }
        return Array(buffer.prefix(count))
    }

    private static func pipe() throws -> (read: Int32, write: Int32) {
        var descriptors: [Int32] = [-1, -1]
        guard Glibc.pipe(&descriptors) == 0 else {
            throw ClientFailure(message: "no pipe: errno \(errno)", exitCode: 1)
        }
        for descriptor in descriptors { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(descriptors[0], F_SETFL, O_NONBLOCK)
        return (descriptors[0], descriptors[1])
    }
}
