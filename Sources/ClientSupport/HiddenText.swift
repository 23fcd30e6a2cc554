import ArgumentParser
import Glibc

/// Reads a secret from standard input: a line of a terminal without echo, or all of a pipe.
package enum HiddenText {
    package static let byteLimit = 64 << 10

    package static func read(_ prompt: String) throws -> String {
        var before = termios()
        let isTerminal = tcgetattr(0, &before) == 0
        let text = isTerminal ? line(prompt, &before) : try whole()
        guard let text, !text.isEmpty else {
            Output.error("nothing was given")
            throw ExitCode(1)
        }
        return text
    }

    private static func line(_ prompt: String, _ before: inout termios) -> String? {
        Output.write(prompt, to: 2)
        var silent = before
        silent.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(0, TCSAFLUSH, &silent)
        defer {
            tcsetattr(0, TCSAFLUSH, &before)
            Output.write("\n", to: 2)
        }
        return readLine(strippingNewline: true)
    }

    /// Reads all of a pipe or file as UTF-8, without the last line end.
    private static func whole() throws -> String? {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= byteLimit + 1 {
            let count = Glibc.read(0, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                Output.error("standard input cannot be read: \(String(cString: strerror(errno)))")
                throw ExitCode(1)
            }
            guard count > 0 else { break }
            bytes += part[..<count]
        }
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard bytes.count <= byteLimit else {
            Output.error("a secret has at most \(byteLimit) bytes, this has more")
            throw ExitCode(1)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            Output.error("a secret is text in UTF-8, this is not")
            throw ExitCode(1)
        }
        return text
    }
}
