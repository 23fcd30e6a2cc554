import Glibc

/// A program that changes bytes: what goes in on its standard input comes out on its standard
/// output, as `zstd -dc` does.
final class ChildFilter {
    private let name: String
    private var process: pid_t
    private var input: Int32
    private let output: Int32

    /// - Parameter command: The program's path, and its arguments.
    /// - Throws: `UpdateError.failed` when it cannot be started.
    init(_ command: [String]) throws(UpdateError) {
        name = command[0]
        let inputEnds = try ChildProgram.connection()
        let outputEnds = try ChildProgram.pipe()
        (input, output) = (inputEnds.ours, outputEnds.read)
        defer {
            close(inputEnds.its)
            close(outputEnds.write)
        }
        process = 0
        process = try ChildProgram.start(
            command,
            input: inputEnds.its,
            output: outputEnds.write
        )
    }

    deinit {
        if input >= 0 { close(input) }
        close(output)
        guard process > 0 else { return }
        kill(process, SIGKILL)
        _ = ChildProgram.wait(process)
    }

    /// Hands over bytes, and what the program made of those before them.
    ///
    /// - Throws: `UpdateError.damaged` when the program ends early; what `body` throws.
    func add(
        _ bytes: [UInt8],
        _ body: ([UInt8]) throws(UpdateError) -> Void
    ) throws(UpdateError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            var waits = [
                pollfd(fd: output, events: Int16(POLLIN), revents: 0),
                pollfd(fd: input, events: Int16(POLLOUT), revents: 0),
            ]
            guard poll(&waits, 2, -1) >= 0 || errno == EINTR else { throw ended() }
            if waits[0].revents != 0 {
                let made = try read()
                guard !made.isEmpty else { throw ended() }
                try body(made)
            }
            guard waits[1].revents != 0 else { continue }
            let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
            let count = rest.withUnsafeBytes { send(input, $0.baseAddress, $0.count, flags) }
            if count < 0, errno == EAGAIN || errno == EINTR { continue }
            guard count > 0 else { throw ended() }
            rest = rest.dropFirst(count)
        }
    }

    /// Ends the input, and hands over the remaining output.
    ///
    /// - Throws: `UpdateError.damaged` when the program did not like its input; what `body` throws.
    func finish(
        _ body: ([UInt8]) throws(UpdateError) -> Void
    ) throws(UpdateError) {
        close(input)
        input = -1
        while true {
            let made = try read()
            guard !made.isEmpty else { break }
            try body(made)
        }
        defer { process = 0 }
        guard ChildProgram.wait(process) == 0 else { throw ended() }
    }

    private func read() throws(UpdateError) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 1 << 17)
        while true {
            let count = Glibc.read(output, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw ended() }
            return Array(buffer.prefix(count))
        }
    }

    private func ended() -> UpdateError {
        .damaged("\(name) cannot read the file: it was damaged on its way; fetch it again")
    }
}
