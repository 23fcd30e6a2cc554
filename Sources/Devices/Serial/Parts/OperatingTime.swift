import Core

/// Whether a part runs, and for how long it has: the account of its laser, fan or heater.
struct OperatingTime: Hashable, Sendable {
    /// Whether the part runs, by its last acknowledgement; nil while unknown.
    var isOn: Bool?
    private var since: MonotonicInstant?
    private var before: Duration = .zero
    private var accountedUntil = MonotonicInstant.boot

    /// The part runs since an instant, or since earlier when that is known.
    mutating func switchOn(since start: MonotonicInstant) {
        isOn = true
        assumeOn(since: start)
    }

    /// The part has run since an instant without a command, and what it does now is not known.
    mutating func assumeOn(since start: MonotonicInstant) {
        if since == nil { (since, accountedUntil) = (start, start) }
    }

    /// The part rests.
    ///
    /// - Returns: Time that is not in the account yet.
    mutating func switchOff(at now: MonotonicInstant) -> Duration? {
        isOn = false
        let rest = account(at: now)
        if let since { before += since.duration(to: now) }
        since = nil
        return rest
    }

    /// Time since the last account; nil when there is none.
    mutating func account(at now: MonotonicInstant) -> Duration? {
        guard since != nil, accountedUntil < now else { return nil }
        defer { accountedUntil = now }
        return accountedUntil.duration(to: now)
    }

    /// Whether a power cut now would cost a minute of the account.
    func isDue(at now: MonotonicInstant) -> Bool {
        since != nil && now.nanoseconds - accountedUntil.nanoseconds >= 60_000_000_000
    }

    /// How long the part has run in this session.
    func total(at now: MonotonicInstant) -> Duration {
        before + (since.map { $0.duration(to: now) } ?? .zero)
    }
}
