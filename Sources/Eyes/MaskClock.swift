import ControlProtocol
import Glibc
import Synchronization

/// Whether a masked time holds, by the clocks of the machine.
package final class MaskClock: Sendable {
    private let masks: [MaskTime]
    private let isSure = Mutex(false)

    package init(_ masks: [MaskTime]) { self.masks = masks }

    /// What the station says of its clock, each time that it says it.
    package func note(isSure: Bool) { self.isSure.withLock { $0 = isSure } }

    /// Whether there is a mask that holds, or may: times of day mean nothing on a clock that is not
    /// trusted.
    package func holds(at now: Int, isSure: Bool) -> Bool {
        guard !masks.isEmpty else { return false }
        guard isSure else { return true }
        var (time, parts) = (time_t(now), tm())
        guard localtime_r(&time, &parts) != nil else { return true }
        let minute = Int(parts.tm_hour * 60 + parts.tm_min)
        return masks.contains { $0.covers(minute) }
    }

    /// Why there is no live picture now; nil while no mask keeps it away.
    package func refusal(at now: Int = time(nil)) -> LivePictureReport? {
        let isSure = isSure.withLock { $0 }
        guard holds(at: now, isSure: isSure) else { return nil }
        return LivePictureReport(
            .masked,
            why: isSure
                ? "a masked time" : "the station's clock is not trusted, and there are masks"
        )
    }
}
