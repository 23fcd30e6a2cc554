import Core

/// Distributes changes of alerts to the receivers that notify people.
///
/// Bound: the newest `limit`; a receiver that was away longer begins with the raised alerts.
actor AlertHub {
    static let limit = 1_024

    private var news: [AlertChange] = []
    private var waiting: [Signal] = []
    /// Alerts that are silenced, with the end of each silence.
    private(set) var silences: [AlertEvent.Key: MonotonicInstant] = [:]
    /// The owner's sentences for alerts, by rule and language.
    private(set) var words: [String: [String: String]] = [:]
    private let clock: any NodeClock
    /// Whether the station was asked; before that no alert is known.
    private(set) var isReady = false

    init(_ clock: any NodeClock) { self.clock = clock }

    /// Sets the owner's sentences, by rule and language.
    func set(words: [String: [String: String]]) { self.words = words }

    /// Starts with the changes in the history, oldest first: raised alerts, and the newest others.
    func begin(_ past: [AlertChange]) {
        for item in past { add(item) }
        isReady = true
        wake()
    }

    /// Adds a change of an alert that happens now.
    func apply(_ event: AlertEvent, _ time: WallTime?, at instant: MonotonicInstant) {
        switch event {
        case .standing: return
        case .silenced(let silence):
            let now = clock.now
            silences = silences.filter { $0.value > now }
            silences[silence.key] = now.advanced(by: .seconds(silence.seconds))
        case .raised, .level, .acknowledged, .resolved:
            guard let number = event.number else { return }
            add(AlertChange(number: number, event: event, time: time, instant: instant))
        }
        wake()
    }

    private func add(_ item: AlertChange) {
        guard !news.contains(where: { $0.number == item.number && $0.event == item.event }) else {
            return
        }
        let place = news.lastIndex { $0.number <= item.number }.map { $0 + 1 } ?? 0
        news.insert(item, at: place)
        if news.count > Self.limit { news.removeFirst() }
    }

    /// Wakes the receivers that wait, so that they decide again.
    func wake() {
        for signal in waiting { signal.raise() }
        waiting = []
    }

    /// Returns the changes after a number, oldest first.
    func news(after number: Int64) -> [AlertChange] { news.filter { $0.number > number } }

    /// Number of the newest change; 0 without any.
    var newest: Int64 { news.last?.number ?? 0 }

    /// Returns the changes up to a number of alerts that are still raised, oldest first.
    func standing(upTo number: Int64) -> [AlertChange] {
        var raised: [Int64: [AlertChange]] = [:]
        for item in news where item.number <= number {
            switch item.event {
            case .raised: raised[item.number] = [item]
            case .level(let level): raised[level.raise]?.append(item)
            case .acknowledged(let note): raised[note.raise]?.append(item)
            case .resolved(let end): raised[end.raise] = nil
            case .silenced, .standing: continue
            }
        }
        return raised.values.flatMap(\.self).sorted { $0.number < $1.number }
    }

    /// Waits until a change comes, or until `deadline`.
    func wait(
        after number: Int64,
        until deadline: MonotonicInstant?,
        tolerance: Duration
    ) async throws {
        guard isReady, newest <= number else {
            if isReady { return }
            return try await park(until: deadline, tolerance)
        }
        try await park(until: deadline, tolerance)
    }

    private func park(until deadline: MonotonicInstant?, _ tolerance: Duration) async throws {
        let signal = Signal()
        waiting.append(signal)
        defer { waiting.removeAll { $0 === signal } }
        _ = try await clock.wait(for: signal, until: deadline, tolerance: tolerance)
    }
}
