import Core

/// Finds adapters and parts that come and go repeatedly, and returns how long to ignore them.
///
/// The third short stay within two minutes begins it: 2 s, then twice as long each time, at most a
/// minute. A minute plugged in, or two minutes of peace, ends it.
struct FlapDetector: Hashable, Sendable {
    /// A shorter stay counts as a strike.
    static let shortStay: Duration = .seconds(15)
    /// A stay after which all is forgiven.
    static let longStay: Duration = .minutes(1)
    static let peace: Duration = .minutes(2)
    /// Short stays that are tolerated: a person may try a socket or two.
    static let patience = 2
    /// At most the stay that resets the count: a device that stayed for so long is steady again.
    static let longestPause = longStay
    /// Keys remembered at most; at the bound the one that left first is forgotten.
    static let keyLimit = 128

    private struct Record: Hashable {
        var strikes = 0
        var leftAt: MonotonicInstant
    }

    private var records: [String: Record] = [:]

    init() {}

    /// Records that `key` left after a stay.
    mutating func left(_ key: String, after stay: Duration, at now: MonotonicInstant) {
        var record = records[key] ?? Record(leftAt: now)
        if stay >= Self.longStay || isForgiven(record, at: now) { record.strikes = 0 }
        if stay < Self.shortStay { record.strikes += 1 }
        record.leftAt = now
        records[key] = record.strikes == 0 ? nil : record
        if records.count > Self.keyLimit,
            let oldest = records.min(by: { ($0.value.leftAt, $0.key) < ($1.value.leftAt, $1.key) })
        {
            records[oldest.key] = nil
        }
    }

    /// Time from `now` on for which to ignore `key`; nil when it may be tried at once.
    func holdOff(_ key: String, at now: MonotonicInstant) -> Duration? {
        guard let record = records[key], !isForgiven(record, at: now) else { return nil }
        let rest = now.duration(to: record.leftAt.advanced(by: pause(record)))
        return rest > .zero ? rest : nil
    }

    /// Resets the count of `key`: a person wants it to be tried now.
    mutating func forgive(_ key: String) { records[key] = nil }

    /// How often it has left after a short stay.
    func strikes(_ key: String) -> Int { records[key]?.strikes ?? 0 }

    private func pause(_ record: Record) -> Duration {
        let excess = record.strikes - Self.patience
        guard excess > 0 else { return .zero }
        return min(.seconds(1 << min(excess, 16)), Self.longestPause)
    }

    private func isForgiven(_ record: Record, at now: MonotonicInstant) -> Bool {
        record.leftAt.duration(to: now) > pause(record) + Self.peace
    }
}
