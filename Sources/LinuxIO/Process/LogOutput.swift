import Glibc
import Synchronization

/// Output of log lines that never waits for its reader: the loop that writes them runs the station.
///
/// A pipe that nothing reads, a stopped terminal or a journal that hangs has no room at some time.
/// Lines are left out then, and the next line that finds room says how many. Bound: `lineMax`.
package final class LogOutput: Sendable {
    /// Bytes of a line with its end, at most; the rest is cut.
    ///
    /// A pipe that has room takes so many at once.
    ///
    /// - Source: Linux, `pipe(7)`: `PIPE_BUF`.
    static let lineMax = 4_096
    package static let standardError = LogOutput(STDERR_FILENO)

    private let descriptor: Int32
    /// Lines that found no room since the last one that did.
    private let omitted = Mutex(0)

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Writes a line, or leaves it out where it would have to wait.
    ///
    /// - Parameter gap: Makes the line that says how many were left out before this one.
    package func write(_ line: String, after gap: (Int) -> String) {
        omitted.withLock { omitted in
            if omitted > 0, put(gap(omitted)) { omitted = 0 }
            if omitted > 0 || !put(line) { omitted += 1 }
        }
    }

    /// Whether the line was written.
    private func put(_ line: String) -> Bool {
        guard hasRoom else { return false }
        var bytes = Array(line.utf8)
        if bytes.count >= Self.lineMax {
            var end = Self.lineMax - 1
            while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }  // A character stays whole.
            bytes.removeSubrange(end...)
        }
        bytes.append(UInt8(ascii: "\n"))
        _ = Glibc.write(descriptor, bytes, bytes.count)
        return true
    }

    /// Whether a line can be written at once; not where there is no reader any more.
    private var hasRoom: Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&entry, 1, 0) == 1 && entry.revents == Int16(POLLOUT)
    }
}
