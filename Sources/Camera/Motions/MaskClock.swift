import ControlProtocol
import Core
import Glibc
import Synchronization

/// Whether a masked time holds, by the clock and the zone of the machine.
package final class MaskClock: Sendable {
    /// The minute of the day, 0…1 439, of seconds since 1970; nil where there is none.
    package typealias MinuteOfDay = @Sendable (Int) -> Int?

    private let masks: [MaskTime]
    private let minuteOfDay: MinuteOfDay
    private let isSure = Mutex(false)

    /// - Parameters:
    ///   - masks: Times of day without a picture.
    ///   - minuteOfDay: By default in the machine's zone.
    package init(
        _ masks: [MaskTime],
        minuteOfDay: @escaping MinuteOfDay = MaskClock.minuteOfZone
    ) {
        (self.masks, self.minuteOfDay) = (masks, minuteOfDay)
    }

    /// The minute of the day in the machine's zone.
    package static let minuteOfZone: MinuteOfDay = { seconds in
        var (time, parts) = (time_t(seconds), tm())
        guard localtime_r(&time, &parts) != nil else { return nil }
        return Int(parts.tm_hour * 60 + parts.tm_min)
    }

    /// Records whether the station trusts its clock, at each of its reports.
    package func set(isSure: Bool) { self.isSure.withLock { $0 = isSure } }

    /// Whether a mask holds, or may hold: on an untrusted clock times of day mean nothing.
    package func holds(at now: Int, isSure: Bool) -> Bool {
        guard !masks.isEmpty else { return false }
        guard isSure, Self.isPlausible(now), let minute = minuteOfDay(now) else { return true }
        return masks.contains { $0.covers(minute) }
    }

    private static func isPlausible(_ now: Int) -> Bool {
        now >= WallTime.plausible.nanoseconds / 1_000_000_000
    }

    /// Whether a mask holds, or may hold, by the station's last report on its clock.
    package func holds(at now: Int) -> Bool { holds(at: now, isSure: isSure.withLock { $0 }) }

    /// Why there is no live picture now; nil while no mask keeps it away.
    package func refusal(at now: Int = time(nil)) -> LivePictureReport? {
        let isSure = isSure.withLock { $0 }
        guard holds(at: now, isSure: isSure) else { return nil }
        return LivePictureReport(
            .masked,
            why: isSure && Self.isPlausible(now)
                ? "a masked time" : "the station's clock is not trusted, and there are masks"
        )
    }
}
