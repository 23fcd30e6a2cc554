import CLinux
import Core
import Glibc

/// One timer of a C library on the loop: it calls a function, where a task would wait.
package final class LoopTimer: Sendable {
    private let descriptor: OwnedDescriptor
    private let watch: LevelWatch

    /// Makes a timer that is not set.
    ///
    /// - Parameters:
    ///   - loop: Calls `body` on its thread and outside of any task.
    package init(
        on loop: EventLoop,
        _ body: @escaping @Sendable () -> Void
    ) throws(LinuxError) {
        let raw = try check("timerfd_create") {
            timerfd_create(CLOCK_BOOTTIME, Int32(O_CLOEXEC | O_NONBLOCK))
        }
        descriptor = OwnedDescriptor(raw)
        watch = try LevelWatch(raw, on: loop) { _ in
            var count: UInt64 = 0
            // Nothing to read: it was set anew after it had fired.
            guard read(raw, &count, MemoryLayout.size(ofValue: count)) > 0 else { return }
            body()
        }
        try watch.expect(.readable)
    }

    deinit { watch.close() }

    /// Sets the timer to fire once; nil stops it.
    ///
    /// - Parameter delay: From now on; zero fires in the loop's next round.
    package func set(after delay: Duration?) throws(LinuxError) {
        var setting = itimerspec()
        if let delay {
            let (seconds, attoseconds) = delay.components
            // Zero would stop the timer.
            let nanoseconds = max(Int(attoseconds / 1_000_000_000), seconds == 0 ? 1 : 0)
            setting.it_value = timespec(tv_sec: Int(seconds), tv_nsec: nanoseconds)
        }
        try check("timerfd_settime") { timerfd_settime(descriptor.raw, 0, &setting, nil) }
    }

    /// Ends it for good.
    package func close() { watch.close() }
}
