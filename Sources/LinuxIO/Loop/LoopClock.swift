import CLinux
import Core
import Glibc
import Runtime
import Synchronization

/// The clock of an `EventLoop`: `CLOCK_BOOTTIME`, and waits that share wake-ups.
package struct LoopClock: NodeClock {
    let loop: EventLoop

    package var now: MonotonicInstant { .now() }

    package var wallTime: WallTime? { loop.wallClock.now }
    package var wallReading: WallReading? { loop.wallClock.reading }

    package func wait(
        for signal: Signal,
        until deadline: MonotonicInstant?,
        tolerance: Duration
    ) async throws -> Bool {
        guard deadline == nil || loop.isCurrent else {
            // The loop looks at its sleepers before it sleeps; from elsewhere it must be woken.
            return try await waitOnLoop(for: signal, until: deadline, tolerance: tolerance)
        }
        return try await loop.sleepers.wait(for: signal, until: deadline, tolerance: tolerance)
    }

    @concurrent private func waitOnLoop(
        for signal: Signal,
        until deadline: MonotonicInstant?,
        tolerance: Duration
    ) async throws -> Bool {
        try await withTaskExecutorPreference(loop) {
            try await loop.sleepers.wait(for: signal, until: deadline, tolerance: tolerance)
        }
    }
}

extension MonotonicInstant {
    /// Reads `CLOCK_BOOTTIME`; no system call where the kernel maps it.
    static func now() -> MonotonicInstant {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return MonotonicInstant(
            nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
        )
    }
}

/// Wall time, known only while the kernel reports that the clock is synchronised.
///
/// A Pi without an RTC battery boots with an old date; until the first time sync it has none.
final class WallClock: Sendable {
    /// How long the kernel's answer is cached, in nanoseconds: asking costs a system call.
    static let trustNanoseconds: Int64 = 1_000_000_000

    private struct Word {
        var isSynchronised = false
        var askedAt: MonotonicInstant?
    }

    private let word = Mutex(Word())
    /// Source of the clock's time while it is not synchronised.
    private let source = ClockSource.ofThisMachine()

    var now: WallTime? {
        let instant = MonotonicInstant.now()
        let isSynchronised = word.withLock { word in
            if let asked = word.askedAt,
                instant.nanoseconds - asked.nanoseconds < Self.trustNanoseconds
            {
                return word.isSynchronised
            }
            var reply = timex()
            let result = adjtimex(&reply)
            word.isSynchronised = Self.isSynchronised(result: result, status: reply.status)
            word.askedAt = instant
            return word.isSynchronised
        }
        return isSynchronised ? Self.systemTime : nil
    }

    /// Wall time and how far it can be trusted; nil while the clock was never set.
    var reading: WallReading? {
        if let now { return WallReading(now, .synchronised) }
        let time = Self.systemTime
        // No board that runs Roost is older than 2020: an earlier date means that the clock was
        // never set.
        guard time.nanoseconds >= Self.oldestNanoseconds else { return nil }
        return WallReading(time, source)
    }

    private static let oldestNanoseconds: Int64 = 1_577_836_800_000_000_000

    private static var systemTime: WallTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return WallTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    /// Whether a result of `adjtimex` means a synchronised clock; −1 is a failure, 5 `TIME_ERROR`.
    static func isSynchronised(result: Int32, status: Int32) -> Bool {
        result >= 0 && result != TIME_ERROR && status & STA_UNSYNC == 0
    }
}
