import CCapture
import Glibc

/// A program whose standard output is read here.
///
/// Its process group ends with this object, with this process, or when it is asked to.
///
/// Belongs to one thread.
final class GuardedProgram {
    /// Its standard output; closed by `end`.
    let output: Int32
    private let guardian: Int32
    private let lifeline: Int32
    private var hasEnded = false

    /// Starts it.
    ///
    /// - Parameters:
    ///   - command: The program, by path or by name, and its arguments.
    ///   - mark: By which the next start finds what outlived this process and its guard.
    /// - Throws: `CaptureError.system`.
    init(_ command: [String], mark: CaptureMark?) throws(CaptureError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .system("pipe", errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var arguments = command.map { strdup($0) } + [nil]
        var environment = CaptureMark.environment(with: mark).map { strdup($0) } + [nil]
        var lifeline: Int32 = -1
        guardian = ccapture_start(&arguments, &environment, ends[1], &lifeline)
        let code = errno
        for text in arguments + environment { free(text) }
        close(ends[1])
        (output, self.lifeline) = (ends[0], lifeline)
        guard guardian > 0 else {
            hasEnded = true
            close(ends[0])
            throw .system("fork", code)
        }
    }

    deinit { _ = end() }

    /// A descriptor that is readable once the program has ended, for the caller to close; -1 when
    /// there is none to be had.
    func watch() -> Int32 { ccapture_watch(guardian) }

    /// Kills what is left of its group, and leaves no zombie.
    ///
    /// - Returns: Its exit code; 128 and the number of a signal.
    func end() -> Int32 {
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
}
