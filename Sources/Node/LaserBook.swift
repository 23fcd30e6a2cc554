import ControlProtocol
import Devices
import Readings
import Synchronization

/// Hours of whatever wears while it is on, for each part by its own id, over restarts of the node.
///
/// Drivers tell of time that has passed, the store keeps the sums. Bound: `partLimit` parts; at the
/// bound the one with the fewest hours is forgotten.
final class LaserBook: Sendable {
    /// So many fit into one setting of the store, 600 bytes.
    static let partLimit = 10
    /// What the sums are kept under.
    static let key = "lasers"
    /// Between two writes: in `months` a power cut costs at most 6 min of the account.
    static let saveInterval: Duration = .hours(1)
    /// Less than this is not worth a write.
    static let leastSaved: Duration = .minutes(5)
    /// A pace is known after so long.
    static let paceTime: Duration = .hours(1)
    private static let nameLimit = 40

    private struct Part {
        var device: String?
        /// By what the store said, whole seconds.
        var before: Int64 = 0
        var inThisRun: Duration = .zero
        var life: Duration?
        var since: MonotonicInstant

        var total: Duration { .seconds(before) + inThisRun }
    }

    private struct State {
        var parts: [String: Part] = [:]
        var unsaved: Duration = .zero
        var savedAt: MonotonicInstant
        var isLoaded = false
    }

    private let state: Mutex<State>

    init(at now: MonotonicInstant) { state = Mutex(State(savedAt: now)) }

    /// Takes note of time that a part of this kind was on.
    func note(_ time: LaserTime, kind: String, device: String, at now: MonotonicInstant) {
        let name = Self.name(kind, time.part ?? device)
        state.withLock { state in
            var part = state.parts[name] ?? Part(since: now.advanced(by: .zero - time.time))
            part.device = device
            part.life = time.life
            part.inThisRun += time.time
            state.unsaved += time.time
            state.parts[name] = part
            Self.shorten(&state)
        }
    }

    /// Adds what the store knew; a second call does nothing.
    func load(_ text: String?, at now: MonotonicInstant) {
        state.withLock { state in
            guard !state.isLoaded else { return }
            state.isLoaded = true
            for entry in (text ?? "").split(separator: ";") {
                let parts = entry.split(separator: "=")
                guard parts.count == 2, let seconds = Int64(parts[1]), seconds >= 0 else {
                    continue
                }
                let name = Self.name(String(parts[0]))
                state.parts[name, default: Part(since: now)].before += seconds
            }
            Self.shorten(&state)
        }
    }

    /// Whether what the store knew is in it.
    var isLoaded: Bool { state.withLock { $0.isLoaded } }

    /// The sums to be saved, if it is time to; nil before the store was asked.
    ///
    /// The last time is always time enough.
    func due(at now: MonotonicInstant, isLast: Bool = false) -> String? {
        state.withLock { state in
            let isTime = isLast || state.savedAt.advanced(by: Self.saveInterval) <= now
            let least: Duration = isLast ? .seconds(1) : Self.leastSaved
            guard state.isLoaded, isTime, state.unsaved >= least else { return nil }
            return state.parts.sorted { $0.key < $1.key }
                .map { "\($0.key)=\($0.value.total.components.seconds)" }
                .joined(separator: ";")
        }
    }

    /// What `due` gave is durable.
    func saved(at now: MonotonicInstant) {
        state.withLock { state in (state.unsaved, state.savedAt) = (.zero, now) }
    }

    /// Every part, by name.
    func reports(at now: MonotonicInstant, _ wall: WallTime?) -> [LaserReport] {
        state.withLock { $0.parts }.sorted { $0.key < $1.key }
            .map { Self.report($0.key, $0.value, now, wall) }
    }

    /// The account of what a device has now.
    func report(of device: String, at now: MonotonicInstant, _ wall: WallTime?) -> LaserReport? {
        reports(at: now, wall).last { $0.device == device }
    }

    private static func report(
        _ name: String,
        _ part: Part,
        _ now: MonotonicInstant,
        _ wall: WallTime?
    ) -> LaserReport {
        let seen = part.since.duration(to: now)
        var left: Duration?
        if let life = part.life, seen >= paceTime, part.inThisRun > .zero {
            let seconds = max(life - part.total, .zero).inSeconds * (seen / part.inThisRun)
            // Ten times the age of a sensor is as good as for ever.
            left = .seconds(Int64(min(seconds, 100 * 365 * 86_400)))
        }
        let end = left.flatMap { left in
            wall.map { WallTime(nanoseconds: $0.nanoseconds + left.wholeNanoseconds).iso8601 }
        }
        return LaserReport(
            part: name,
            device: part.device,
            hours: (part.total.inSeconds / 3_600).rounded(toDecimals: 2),
            lifeHours: part.life.map { $0.inSeconds / 3_600 },
            daysLeft: left.map { ($0.inSeconds / 86_400).rounded(toDecimals: 1) },
            endOfLife: end
        )
    }

    /// `nova-sds011 A160`, without what separates entries.
    private static func name(_ words: String...) -> String {
        let text = words.joined(separator: " ").map { ";=".contains($0) ? "_" : $0 }
        return String(String(text.prefix(nameLimit)))
    }

    private static func shorten(_ state: inout State) {
        while state.parts.count > partLimit,
            let least = state.parts.min(by: { ($0.value.total, $0.key) < ($1.value.total, $1.key) })
        {
            state.parts[least.key] = nil
        }
    }
}
