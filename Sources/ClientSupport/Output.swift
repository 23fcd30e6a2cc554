import Glibc
import Synchronization

/// Standard output and standard error, unbuffered: a line is out when it is said.
package enum Output {
    package static func line(_ text: String) { write(text + "\n", to: 1) }

    private static func end(_ code: Int32) -> Never {
        lastWill.withLock { $0.take() }?()
        exit(code)
    }

    /// Ends the process without a message: the reader closed standard output, so it has what it
    /// wanted.
    package static func endUnread() -> Never { end(0) }

    /// Prefix of messages: the program's name.
    package static let program: String = {
        let name = CommandLine.arguments.first?.split(separator: "/").last.map(String.init)
        return name.flatMap { $0.hasPrefix("roost-") && !$0.contains(".") ? $0 : nil } ?? "roost"
    }()

    package static func error(_ text: String) { write("\(program): \(text)\n", to: 2) }

    /// Work to do before the process ends because the reader closed standard output.
    package static let lastWill = Mutex<(@Sendable () -> Void)?>(nil)

    /// Writes everything; ends the process quietly when the reader closes standard output, as
    /// `head` does.
    package static func write(_ text: String, to descriptor: Int32 = 1) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                guard errno == EINTR || errno == EAGAIN else { end(errno == EPIPE ? 0 : 1) }
                continue
            }
            bytes = bytes.dropFirst(count)
        }
    }
}

/// Lines for standard output, in pieces of 64 KiB where no terminal waits for each of them.
package struct OutputLines: ~Copyable {
    private static let pieceByteCount = 65_536

    private let isTerminal = isatty(1) == 1
    private var piece = ""

    package init() {}

    package mutating func line(_ text: String) {
        piece += text
        piece += "\n"
        if isTerminal || piece.utf8.count >= Self.pieceByteCount { flush() }
    }

    /// Writes what is still there; to be called after the last line.
    package mutating func flush() {
        Output.write(piece)
        piece.removeAll(keepingCapacity: true)
    }
}
