import Core

/// Decides when the station's present state is sent once more.
///
/// Home Assistant subscribes to the topics of an entity only after it has read the announcement, so
/// it misses what comes right behind it. Retained messages would close this gap, but a broker of
/// MQTT 3.1.1 keeps them without an end: an old value would pass as a new one.
struct MQTTRepeats: Hashable, Sendable {
    /// Times after an announcement; the second is for a Home Assistant on a busy machine.
    private static let delays: [Duration] = [.seconds(5), .seconds(30)]

    /// Time at which a Home Assistant that has started gets its answer.
    private var answerAt: MonotonicInstant?
    /// Bound: one for each of `delays`.
    private var repeatsAt: [MonotonicInstant] = []

    /// Earliest time at which something is due; nil for none.
    var next: MonotonicInstant? { (repeatsAt + [answerAt].compactMap { $0 }).min() }

    /// Records an announcement of entities that were not announced before.
    mutating func haveNewEntities(at now: MonotonicInstant) {
        repeatsAt = Self.delays.map { now.advanced(by: $0) }
    }

    /// Records that Home Assistant has started.
    mutating func haveQuestion(answerAt time: MonotonicInstant) { answerAt = time }

    /// Removes what is due.
    ///
    /// - Returns: Whether to send the announcement once more, and whether to send the state.
    mutating func removeDue(at now: MonotonicInstant) -> (announcement: Bool, state: Bool) {
        let isAsked = answerAt.map { $0 <= now } ?? false
        let isDue = repeatsAt.contains { $0 <= now }
        if isAsked { answerAt = nil }
        repeatsAt.removeAll { $0 <= now }
        return (isAsked, isAsked || isDue)
    }
}
