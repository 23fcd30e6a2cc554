import ControlProtocol
import LinuxIO

/// A program that listens at a path, as a command asks it.
package struct LocalProgram: Sendable {
    private let path: String

    package init(at path: String) { self.path = path }

    /// Asks one question, on a loop of its own.
    ///
    /// - Throws: `ControlFailure` when it is refused; `LocalSocketError` when no answer comes.
    package func ask<Asked: Question>(
        _ question: Asked,
        within limit: Duration? = nil
    ) throws -> Asked.Answer {
        let (path, loop) = (path, try EventLoop())
        return try loop.run {
            try await SocketClient(path: path, on: loop).ask(question, within: limit)
        }
    }
}

extension SocketClient {
    /// Client of the program that listens at a path.
    package init(path: String, on loop: EventLoop) {
        self.init(clock: loop.clock) { try LocalSocket.connect(path: path, on: loop) }
    }
}
