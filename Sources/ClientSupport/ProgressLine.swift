import Core
import Glibc
import LinuxIO

/// Says on standard error how far something has come: first after two seconds, then each second.
package final class ProgressLine {
    private let loop: EventLoop
    private var clock: any NodeClock { loop.clock }
    private let start: MonotonicInstant
    private var next: MonotonicInstant
    private var hasSpoken = false

    package init() throws {
        loop = try EventLoop()
        start = loop.clock.now
        next = start.advanced(by: .seconds(2))
    }

    package var elapsed: Double { start.duration(to: clock.now).inSeconds }

    package func show(_ text: @autoclosure () -> String) {
        let now = clock.now
        guard now >= next else { return }
        next = now.advanced(by: .seconds(1))
        hasSpoken = true
        let end = isatty(2) == 1 ? "\u{1B}[K\r" : "\n"
        Output.write("\(Output.program): \(text())\(end)", to: 2)
    }

    /// Waits in real time.
    package func pause(for length: Duration) throws {
        let clock = loop.clock
        try loop.run { try await clock.sleep(for: length) }
    }

    /// Leaves the last state on the screen.
    package func finish() {
        if hasSpoken, isatty(2) == 1 { Output.write("\n", to: 2) }
        hasSpoken = false
    }
}
