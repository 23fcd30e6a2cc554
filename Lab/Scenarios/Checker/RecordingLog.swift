import Core

/// When the owner had switched off the recording of which device, as far as the answers say.
struct RecordingLog: Sendable {
    enum State: Hashable, Sendable {
        case on, off
        /// A request was under way, or its answer never came.
        case unsure
    }

    private struct Entry: Sendable {
        let device: String
        let at: MonotonicInstant
        let state: State
    }

    /// Time after a change in which a sample may be judged by the old state or the new one.
    private static let slack: Duration = .seconds(10)
    private var entries: [Entry] = []

    mutating func append(_ device: String, _ state: State, at now: MonotonicInstant) {
        entries.append(Entry(device: device, at: now, state: state))
    }

    /// Whether something was ever asked of a device.
    func names(_ device: String) -> Bool { entries.contains { $0.device == device } }

    /// How it was when a sample came.
    func state(of device: String, at instant: MonotonicInstant) -> State {
        let own = entries.filter { $0.device == device }
        guard let last = own.last(where: { $0.at <= instant }) else { return .on }
        let isNear = own.contains { entry in
            entry.at.duration(to: instant) < Self.slack && entry.at <= instant
        }
        return isNear ? .unsure : last.state
    }
}
