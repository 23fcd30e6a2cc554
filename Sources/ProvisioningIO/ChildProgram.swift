import Glibc

/// Starts programs whose input and output are ours.
package enum ChildProgram {
    /// Longest output that `output(of:)` returns unless another limit is given.
    package static let outputByteMax = 65_536

    /// Runs a program that prints a little.
    ///
    /// - Parameters:
    ///   - command: The program by path or by name, and its arguments.
    ///   - limit: Bytes of its output at most.
    /// - Returns: Its standard output, whatever its exit code.
    package static func output(
        of command: [String],
        limit: Int = outputByteMax
    ) throws(UpdateError) -> String {
        let ends = try pipe()
        let process: pid_t
        do throws(UpdateError) {
            defer { close(ends.write) }
            process = try start(command, input: nil, output: ends.write)
        } catch {
            close(ends.read)
            throw error
        }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4_096)
        while bytes.count < limit {
            let count = read(ends.read, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            bytes += chunk.prefix(count)
        }
        // A program that prints more gets an error from its next write.
        close(ends.read)
        _ = wait(process)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Opens a pipe whose ends no started program inherits unasked.
    static func pipe() throws(UpdateError) -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else {
            throw .failed("no pipe: \(String(cString: strerror(errno)))")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    /// Two ends of a connection: unlike a pipe's, a write to it after the other end was closed is
    /// an error and no signal.
    static func connection() throws(UpdateError) -> (ours: Int32, its: Int32) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw .failed("no connection: \(String(cString: strerror(errno)))")
        }
        return (ends[0], ends[1])
    }

    /// - Parameters:
    ///   - command: The program by path or by name, and its arguments.
    ///   - input: Its standard input; nil for ours.
    /// - Returns: The process, which is to be waited for.
    static func start(
        _ command: [String],
        input: Int32?,
        output: Int32
    ) throws(UpdateError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let input { posix_spawn_file_actions_adddup2(&actions, input, 0) }
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        var vector = command.map { strdup($0) }
        defer { for pointer in vector { free(pointer) } }
        vector.append(nil)
        var process: pid_t = 0
        let failure = posix_spawnp(&process, command[0], &actions, nil, vector, environ)
        guard failure == 0 else {
            throw .failed("\(command[0]) cannot be started: \(String(cString: strerror(failure)))")
        }
        return process
    }

    /// Runs a program to its end.
    ///
    /// - Parameters:
    ///   - command: The program's path, and its arguments.
    ///   - input: All that it reads, up to the 64 KiB that a pipe holds; nil for our own input.
    /// - Returns: Its status as `waitpid` has it; 0 is success.
    static func run(
        _ command: [String],
        input: String?,
        output: Int32
    ) throws(UpdateError) -> Int32 {
        guard let input else {
            return wait(try start(command, input: nil, output: output))
        }
        let ends = try pipe()
        defer { close(ends.read) }
        let bytes = Array(input.utf8)
        // The pipe has room for it and a reader, this process: the write neither waits nor fails.
        let count = bytes.withUnsafeBytes { write(ends.write, $0.baseAddress, $0.count) }
        close(ends.write)
        guard count == bytes.count else { throw .failed("\(command[0]): no input") }
        return wait(try start(command, input: ends.read, output: output))
    }

    /// - Returns: Its status as `waitpid` has it; 0 is success.
    static func wait(_ process: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { return -1 }
        }
        return status
    }
}
