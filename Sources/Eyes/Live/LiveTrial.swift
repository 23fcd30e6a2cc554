import ControlProtocol
import Core
import Glibc
import LinuxIO

/// Runs the program of the live picture for some seconds, and keeps nothing.
package struct LiveTrial: Sendable {
    package struct Outcome: Hashable, Sendable {
        package var frameCount = 0
        package var byteCount = 0
        /// Time of the first picture.
        package var first: Duration?
    }

    private let settings: LiveSettings

    package init(_ settings: LiveSettings) { self.settings = settings }

    /// Synchronous.
    ///
    /// - Throws: `CaptureError` when it cannot be started or ends by itself.
    package func run(for duration: Duration) throws(CaptureError) -> Outcome {
        let program = try CaptureError.starting(settings.command, nil)
        defer { _ = program.end() }
        var splitter = JPEGSplitter(byteMax: LivePictureMessage.frameMax)
        var outcome = Outcome()
        var piece = [UInt8](repeating: 0, count: 65_536)
        let begun = Self.now
        while Self.now - begun < duration {
            var set = pollfd(fd: program.output, events: Int16(POLLIN), revents: 0)
            let rest = (duration - (Self.now - begun)) / .milliseconds(1)
            guard poll(&set, 1, Int32(clamping: Int64(rest) + 1)) > 0 else { continue }
            let count = Glibc.read(program.output, &piece, piece.count)
            guard count > 0 else { throw .exit(code: program.end(), settings.command[0]) }
            let frames = splitter.append(piece[..<count])
            guard !frames.isEmpty else { continue }
            outcome.first = outcome.first ?? Self.now - begun
            outcome.frameCount += frames.count
            outcome.byteCount += frames.reduce(0) { $0 + $1.count }
        }
        return outcome
    }

    private static var now: Duration {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
