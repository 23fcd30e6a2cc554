import ClientSupport
import Core
import Glibc
import LinuxIO
import Synchronization

/// The terminal as a screen of its own: keys come at once, the cursor is hidden, and the previous
/// content is restored afterwards.
final class TerminalScreen: Sendable {
    /// Signals that end, pause or resize a screen; block them before the first thread starts.
    static let signals: [Int32] = [SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGTSTP]

    private struct State {
        var isEntered = false
        var before: termios?
    }

    private let state = Mutex(State())

    /// Whether standard output is a terminal that can move its cursor.
    static var isUsable: Bool {
        let kind = getenv("TERM").map { String(cString: $0) } ?? ""
        return isatty(1) == 1 && !["", "dumb"].contains(kind)
    }

    /// How large it is now; 80 × 24 where it does not say.
    var size: WatchScreen.Size {
        var size = winsize()
        guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return WatchScreen.Size(columns: 80, rows: 24)
        }
        return WatchScreen.Size(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }

    /// Sets the terminal up.
    func enter() {
        state.withLock { state in
            guard !state.isEntered else { return }
            state.isEntered = true
            var mode = termios()
            if isatty(0) == 1, tcgetattr(0, &mode) == 0 {
                state.before = mode
                mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
                // A read returns at once, with what there is.
                withUnsafeMutableBytes(of: &mode.c_cc) { keys in
                    (keys[Int(VMIN)], keys[Int(VTIME)]) = (0, 0)
                }
                tcsetattr(0, TCSADRAIN, &mode)
            }
            // The other screen, no cursor, no wrapping at the edge.
            Output.write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[2J")
        }
    }

    /// Gives the terminal back as it was; nothing happens the second time.
    func leave() {
        state.withLock { state in
            guard state.isEntered else { return }
            state.isEntered = false
            _ = Self.put("\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l")
            if var before = state.before { tcsetattr(0, TCSADRAIN, &before) }
        }
    }

    /// Writes without ending the process when the reader is gone.
    private static func put(_ text: String) -> Int { write(1, text, text.utf8.count) }

    /// Shows the lines; each clears its own rest, so that nothing flickers.
    func draw(_ lines: [StyledLine], isColoured: Bool) {
        let columns = size.columns
        let text = lines.map { line in
            // Behind the last cell there is nothing to clear, but that cell.
            line.painted(isColoured: isColoured) + (line.width < columns ? "\u{1B}[K" : "")
        }
        Output.write("\u{1B}[H" + text.joined(separator: "\r\n") + "\u{1B}[J")
    }

    /// Stops the process until it is continued, with the terminal restored meanwhile.
    func pause() {
        leave()
        kill(getpid(), SIGSTOP)
        enter()
    }

    /// Waits for `q`, or for ever where there are no keys.
    func waitForQuit(on loop: EventLoop) async throws {
        guard isatty(0) == 1 else {
            _ = try await loop.clock.wait(for: Signal(), until: nil, tolerance: .zero)
            return
        }
        let watched = try loop.register(0)
        defer { watched.close() }
        var keys = [UInt8](repeating: 0, count: 64)
        while !Task.isCancelled {
            let count = read(0, &keys, keys.count)
            if count > 0, keys.prefix(count).contains(where: { $0 | 0x20 == UInt8(ascii: "q") }) {
                return
            }
            if count <= 0 { _ = try await watched.readable() }
        }
    }
}

extension ScreenTime {
    /// Now, in the zone of this command.
    static func now(_ clock: any NodeClock) -> ScreenTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return ScreenTime(
            bootSeconds: MonotonicInstant.boot.duration(to: clock.now).inSeconds,
            wallSeconds: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9,
            zone: .current
        )
    }
}
