import Core
import Glibc

/// Takes one picture by a program that writes a JPEG to its standard output.
///
/// The program runs in a process group of its own, which ends with this call, with the deadline, or
/// with this process, however it ends. Synchronous: it belongs on a thread of its own.
package struct CaptureProgram: Sendable {
    private static let pieceBytes = 65_536

    private let command: [String]
    private let limit: Duration
    private let byteMax: Int
    private let mark: CaptureMark?

    /// - Parameters:
    ///   - command: The program, by path or by name, and its arguments; not empty.
    ///   - limit: How long it may take.
    ///   - byteMax: Bytes of a picture, at most.
    ///   - mark: By which the next start finds what outlived this process and its guard.
    package init(
        _ command: [String],
        limit: Duration,
        byteMax: Int,
        mark: CaptureMark? = nil
    ) {
        precondition(!command.isEmpty, "names no program")
        (self.command, self.limit, self.byteMax) = (command, limit, byteMax)
        self.mark = mark
    }

    /// Takes a picture.
    ///
    /// - Returns: A whole JPEG of at most `byteMax` bytes.
    /// - Throws: `CaptureError`.
    package func run() throws(CaptureError) -> [UInt8] {
        let program = try GuardedProgram(command, mark: mark)
        let end = Self.now + limit
        let outcome = Result { () throws(CaptureError) in try read(program.output, until: end) }
        let status = finish(program, until: (try? outcome.get()) == nil ? Self.now : end)
        let picture = try outcome.get()
        guard let status else { throw .late(limit) }
        guard status == 0 else { throw .exit(code: status, command[0]) }
        guard Self.isJPEG(picture) else { throw .noPicture(byteCount: picture.count) }
        return picture
    }

    private static var now: Duration {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// Waits until a descriptor can be read; false when time is up.
    private static func wait(_ descriptor: Int32, until end: Duration) -> Bool {
        while true {
            let rest = end - now
            let milliseconds = Int32(clamping: max(0, Int64(rest / .milliseconds(1))))
            var set = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let count = poll(&set, 1, milliseconds)
            if count > 0 { return true }
            if count == 0, milliseconds == 0 || now >= end { return false }
            if count < 0, errno != EINTR { return false }
        }
    }

    private func read(_ output: Int32, until end: Duration) throws(CaptureError) -> [UInt8] {
        var picture: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: Self.pieceBytes)
        while true {
            guard Self.wait(output, until: end) else { throw .late(limit) }
            let count = Glibc.read(output, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .system("read", errno) }
            guard count > 0 else { return picture }
            picture += piece[..<count]
            guard picture.count <= byteMax else { throw .tooLarge(byteMax: byteMax) }
        }
    }

    /// Waits for the program's end, kills what is left of its group, and leaves no zombie.
    ///
    /// - Returns: Its exit code; nil when it was killed because time was up.
    private func finish(_ program: GuardedProgram, until end: Duration) -> Int32? {
        let watch = program.watch()
        let hasEnded = watch >= 0 && Self.wait(watch, until: end)
        if watch >= 0 { close(watch) }
        let status = program.end()
        return hasEnded ? status : nil
    }

    /// Whether it begins and ends as a JPEG does; zeros behind the end are allowed.
    static func isJPEG(_ bytes: [UInt8]) -> Bool {
        guard bytes.starts(with: [0xFF, 0xD8, 0xFF]), let last = bytes.lastIndex(where: { $0 != 0 })
        else { return false }
        return last > 3 && bytes[last] == 0xD9 && bytes[last - 1] == 0xFF
    }
}
