import Core

/// A connection that carries one JSON text a line.
///
/// The node's control socket is made of these.
package protocol LineConnection: Sendable {
    /// The peer's process and user, from the kernel; nil in a simulation.
    var peer: PeerCredentials? { get }

    /// The next line without its newline, or nil at the end of the stream.
    ///
    /// - Throws: `LocalSocketError.lineTooLong` beyond 64 KiB of a request, 256 KiB of an answer;
    ///   `CancellationError`.
    func nextLine() async throws -> String?

    /// Queues one line. A peer that reads too slowly loses the connection at 256 KiB.
    ///
    /// - Throws: `LocalSocketError.closed`, `.tooSlow`.
    func send(_ line: String) throws(LocalSocketError)

    /// Closes after what is queued has been sent, or at once when the peer does not read it.
    func close()
}

/// The listening side.
package protocol LineListener: Sendable {
    /// Waits for a connection.
    ///
    /// - Throws: `LocalSocketError`; `CancellationError`.
    func accept() async throws -> any LineConnection

    /// Stops listening and removes the socket's file.
    func close()
}

/// Process and user at the other end of a local socket, from `SO_PEERCRED`.
package struct PeerCredentials: Hashable, Sendable {
    package let processID: Int32
    package let userID: UInt32
    package let groupID: UInt32

    package init(processID: Int32, userID: UInt32, groupID: UInt32) {
        self.processID = processID
        self.userID = userID
        self.groupID = groupID
    }
}

package enum LocalSocketError: Error, Hashable, Sendable {
    case closed
    /// No line came within this time.
    case silent(Duration)
    case tooSlow(byteCount: Int)
    case lineTooLong(byteCount: Int)
    case pathTooLong(path: String)
    case system(call: String, errno: Int32, path: String)
}

extension LocalSocketError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .closed: "it closed the connection"
        case .silent(let limit): "it does not answer within \(limit / .seconds(1)) s"
        case .tooSlow(let byteCount): "the reader is too slow: \(byteCount) bytes wait"
        case .lineTooLong(let byteCount): "a line of more than \(byteCount) bytes"
        case .pathTooLong(let path): "\(path): longer than a socket path may be (107 bytes)"
        case .system(let call, let errno, let path): "\(path): \(call) failed with errno \(errno)"
        }
    }
}
