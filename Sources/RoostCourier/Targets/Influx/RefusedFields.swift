import Core
import Profiles
import Synchronization

/// Fields that a database has with another type, and refuses for ever.
///
/// InfluxDB 1 and 2 name one field of a batch: *field type conflict: input field "pm25" on
/// measurement "roost" is type float, already exists as type integer*; InfluxDB 3 *invalid column
/// type for column 'pm25'*. Each point with such a field is dropped whole, so points go without it.
/// Bound: the names of quantities.
///
/// - Source: influxdata/influxdb, `tsdb/errors.go` (1 and 2), `influxdb3_write` (3).
final class RefusedFields: Sendable {
    /// Time after which a field is tried again: the database may have been repaired.
    private static let lifetime: Duration = .seconds(3_600)
    private static let marks = [("input field \"", "\""), ("type for column '", "'")]

    private struct Entry {
        let reason: DeliveryReason
        let since: MonotonicInstant?
    }

    private let entries = Mutex<[String: Entry]>([:])

    init() {}

    /// Returns the fields refused at a time, with the reasons; nil returns all.
    func reasons(at now: MonotonicInstant?) -> [String: DeliveryReason] {
        entries.withLock { entries in
            entries.filter { Self.lasts($0.value, at: now) }.mapValues(\.reason)
        }
    }

    func names(at now: MonotonicInstant?) -> Set<String> { Set(reasons(at: now).keys) }

    func forget() { entries.withLock { $0 = [:] } }

    /// - Returns: Why, where an answer names a field of the samples that was not refused yet.
    func learn(
        _ answer: OutboundAnswer,
        of samples: [OutboxSample],
        at now: MonotonicInstant?
    ) -> DeliveryReason? {
        guard [400, 422].contains(answer.status), !answer.isHTML,
            let words = Self.text(answer), let name = Self.field(in: words),
            samples.contains(where: { $0.quantities.contains { $0.name == name } })
        else { return nil }
        let reason = DeliveryReason("field-refused", words)
        return entries.withLock { entries in
            if let known = entries[name], Self.lasts(known, at: now) { return nil }
            entries[name] = Entry(reason: reason, since: now)
            return reason
        }
    }

    private static func lasts(_ entry: Entry, at now: MonotonicInstant?) -> Bool {
        guard let since = entry.since, let now else { return true }
        return since.duration(to: now) < lifetime
    }

    private static func text(_ answer: OutboundAnswer) -> String? {
        let json = WireJSON.parse(answer.body)
        let lines = json?["data"]?.elements ?? []
        let all = lines.map { $0["error_message"] } + [json?["error"], json?["message"]]
        return all.compactMap { $0?.string }.first { field(in: $0) != nil }
    }

    private static func field(in text: String) -> String? {
        for (start, end) in marks {
            guard let from = text.firstRange(of: start)?.upperBound else { continue }
            let rest = text[from...]
            guard let to = rest.firstRange(of: end)?.lowerBound else { continue }
            return String(rest[..<to])
        }
        return nil
    }
}
