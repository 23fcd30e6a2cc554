import Core
import Synchronization

/// Devices that are measured and shown, but not stored.
///
/// Each value of such a device goes to the store as *no data: not kept*, so that the ledger says
/// why it is missing; a reason why there is none stays. Lamp and listeners get the value.
///
/// A store that could not be opened for a while gets readings from before a change: each is judged
/// by its own time. Bound: `changeLimit` changes; readings from before the oldest one are stored.
final class RecordSwitch: Sendable {
    static let changeLimit = 64

    private struct Change {
        let at: MonotonicInstant
        let unrecorded: Set<String>
    }

    /// In order of time; none before the first.
    private let changes = Mutex<[Change]>([])

    init() {}

    /// Devices that are not stored from now on; all others are.
    func set(_ unrecorded: Set<String>, at now: MonotonicInstant) {
        changes.withLock { changes in
            guard changes.last?.unrecorded ?? [] != unrecorded else { return }
            if changes.count == Self.changeLimit { changes.removeFirst() }
            changes.append(Change(at: now, unrecorded: unrecorded))
        }
    }

    /// Whether values of a device are stored now.
    func keeps(_ device: String) -> Bool {
        changes.withLock { !($0.last?.unrecorded.contains(device) ?? false) }
    }

    /// The readings as the store gets them.
    func stored(_ readings: [Reading]) -> [Reading] {
        let changes = changes.withLock { $0 }
        guard !changes.isEmpty else { return readings }
        return readings.map { reading in
            let change = changes.last { $0.at <= reading.instant }
            guard reading.outcome.value != nil,
                change?.unrecorded.contains(reading.channel.device) ?? false
            else { return reading }
            return Reading(reading.channel, at: reading.instant, .noData(.notKept))
        }
    }
}
