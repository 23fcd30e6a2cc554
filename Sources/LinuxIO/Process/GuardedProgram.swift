import CCapture
import CLinux
import Glibc

/// A child process whose standard output this process reads.
///
/// Its process group is killed when `end` or `finish` is called, when this object is released, or
/// when this process ends. A guard process between this process and the program does the killing.
/// Belongs to one thread.
package final class GuardedProgram {
    /// Why a program did not run to its end.
    package enum Fault: Error, Hashable, Sendable {
        /// A system call failed, with `errno`.
        case system(String, Int32)
        /// The program did not end within the limit.
        case late
        /// The program wrote more bytes than were wanted.
        case tooLong
    }

    /// The treatment of output beyond the bytes that are wanted.
    package enum Excess: Sendable {
        /// It is read and dropped.
        case isDropped
        /// The program is ended, with `Fault.tooLong`.
        case isAFault
    }

    private static let pieceBytes = 65_536

    /// Its standard output; closed by `end`.
    package let output: Int32
    private let guardian: Int32
    private let lifeline: Int32
    private var hasEnded = false

    /// Starts the program; one that cannot be executed ends with exit code 127.
    ///
    /// - Parameters:
    ///   - command: The program, by path or by name, and its arguments; not empty.
    package init(
        _ command: [String],
        environment: [String] = ownEnvironment
    ) throws(Fault) {
        precondition(!command.isEmpty, "names no program")
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .system("pipe", errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var arguments = command.map { strdup($0) } + [nil]
        var variables = environment.map { strdup($0) } + [nil]
        var lifeline: Int32 = -1
        guardian = ccapture_start(&arguments, &variables, ends[1], &lifeline)
        let code = errno
        for text in arguments + variables { free(text) }
        close(ends[1])
        (output, self.lifeline) = (ends[0], lifeline)
        guard guardian > 0 else {
            hasEnded = true
            close(ends[0])
            throw .system("fork", code)
        }
    }

    deinit { _ = end() }

    /// The variables of this process, as `NAME=value`.
    package static var ownEnvironment: [String] {
        var variables: [String] = []
        var place = environ
        while let entry = place.pointee {
            variables.append(String(cString: entry))
            place += 1
        }
        return variables
    }

    /// Opens a descriptor that is readable once the program has ended; -1 on failure.
    ///
    /// The caller closes it.
    package func watch() -> Int32 { ccapture_watch(guardian) }

    /// Kills the rest of its process group, and reaps the guard.
    ///
    /// - Returns: Its exit code, or 128 plus the number of a signal; 0 after the first call.
    package func end() -> Int32 {
        guard !hasEnded else { return 0 }
        hasEnded = true
        // The group keeps its number while its leader is not waited for.
        kill(-guardian, SIGKILL)
        var status: Int32 = 0
        while waitpid(guardian, &status, 0) < 0, errno == EINTR {}
        close(lifeline)
        close(output)
        return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
    }

    /// Reads all output of the program, and waits for its end.
    ///
    /// - Parameters:
    ///   - limit: Longest time for reading and waiting together; then the program is killed.
    ///   - byteMax: Bytes of output that are wanted, at most.
    /// - Returns: The output, and the exit code or 128 plus the number of a signal.
    /// - Throws: `Fault`; the program has ended then, too.
    package func finish(
        within limit: Duration,
        byteMax: Int,
        _ excess: Excess
    ) throws(Fault) -> (output: [UInt8], status: Int32) {
        let end = Self.now + limit
        do throws(Fault) {
            let bytes = try read(until: end, byteMax: byteMax, excess)
            let watch = watch()
            let hasEnded = watch >= 0 && Self.wait(watch, until: end)
            if watch >= 0 { close(watch) }
            let status = self.end()
            guard hasEnded else { throw .late }
            return (bytes, status)
        } catch {
            _ = self.end()
            throw error
        }
    }

    private func read(
        until end: Duration,
        byteMax: Int,
        _ excess: Excess
    ) throws(Fault) -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: Self.pieceBytes)
        while true {
            guard Self.wait(output, until: end) else { throw .late }
            let count = Glibc.read(output, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .system("read", errno) }
            guard count > 0 else { return bytes }
            let room = byteMax - bytes.count
            if count > room, case .isAFault = excess { throw .tooLong }
            bytes += piece[..<min(count, room)]
        }
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
}
