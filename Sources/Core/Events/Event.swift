/// Something that happened, once: a child ended, a lamp changed, a motion was seen.
package struct Event: Hashable, Sendable {
    package typealias Severity = EventSeverity
    package typealias Detail = EventDetail

    package let instant: MonotonicInstant
    /// The child or device it is about: `balcony`, `lights`, `supervisor`.
    package let source: String
    package let kind: EventKind
    package let severity: Severity
    /// Details beyond those that the kind contains.
    private let more: [Detail]

    package init(
        at instant: MonotonicInstant,
        source: String,
        kind: EventKind,
        severity: Severity = .info,
        _ details: KeyValuePairs<String, String> = [:]
    ) {
        self.init(
            at: instant,
            source: source,
            kind: kind,
            severity: severity,
            details: details.map { Detail($0.key, $0.value) }
        )
    }

    package init(
        at instant: MonotonicInstant,
        source: String,
        kind: EventKind,
        severity: Severity,
        details: [Detail]
    ) {
        self.instant = instant
        self.source = source
        self.kind = kind
        self.severity = severity
        more = details
    }

    /// An event as it was stored.
    package init(
        at instant: MonotonicInstant,
        source: String,
        name: String,
        severity: Severity,
        details: [Detail]
    ) {
        var rest = details
        let kind = EventKind(name, taking: &rest)
        self.init(at: instant, source: source, kind: kind, severity: severity, details: rest)
    }

    /// Creates the event with which the store reports missing samples.
    package init(at instant: MonotonicInstant, _ missing: MissingSamples) {
        self.init(
            at: instant,
            source: "store",
            kind: .samplesMissing(missing),
            severity: missing.severity
        )
    }

    /// All details, in the order to show them: `[("lamp", "green"), ("was", "unknown")]`.
    package var details: [Detail] { kind.details + more }

    /// All details as typed values.
    package var facts: [Fact] { details.compactMap(\.fact) }

    /// The number of a fact; nil without one.
    package func number(_ name: String) -> Double? {
        guard case .number(let number)? = facts.last(where: { $0.name == name })?.value else {
            return nil
        }
        return number
    }

    /// The event with further details.
    package func with(_ details: [Detail]) -> Event {
        Event(
            at: instant,
            source: source,
            kind: kind,
            severity: severity,
            details: more + details
        )
    }

    package subscript(key: String) -> String? { details.first { $0.key == key }?.value }
}
