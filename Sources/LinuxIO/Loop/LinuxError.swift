import CLinux
import Glibc

/// Why something of the Linux kernel could not be had.
package enum LinuxError: Error, Hashable, Sendable {
    /// A system call failed.
    case system(call: String, errno: Int32, path: String?)
    /// Another process holds the lock.
    case held(path: String, holder: String?)
    /// The descriptor was closed, possibly while a task waited for it.
    case closed
}

extension LinuxError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .system(let call, let errno, let path):
            (path.map { "\($0): " } ?? "") + "\(call): \(Self.text(of: errno))"
        case .held(let path, let holder):
            "\(path): held by \(holder ?? "another process"); stop it first"
        case .closed: "the descriptor is closed"
        }
    }

    /// Text of `strerror`, with the number to search for.
    package static func text(of errno: Int32) -> String {
        "\(String(cString: clinux_error_words(errno))) (errno \(errno))"
    }
}

/// Makes a system call again while it is interrupted, and turns −1 into an error.
///
/// - Parameters:
///   - call: Name of the call, for the error.
///   - path: File of the call, for the error.
///   - body: The call; negative means failure and `errno` says why.
/// - Returns: Result of the call, ≥ 0.
@discardableResult
func check<Result: FixedWidthInteger & SignedInteger>(
    _ call: String,
    path: String? = nil,
    _ body: () -> Result
) throws(LinuxError) -> Result {
    while true {
        let result = body()
        if result >= 0 { return result }
        let code = errno
        guard code == EINTR else { throw .system(call: call, errno: code, path: path) }
    }
}

/// A file descriptor that is closed when its last owner lets it go.
final class OwnedDescriptor: Sendable {
    let raw: Int32

    init(_ raw: Int32) { self.raw = raw }

    deinit { _ = Glibc.close(raw) }
}
