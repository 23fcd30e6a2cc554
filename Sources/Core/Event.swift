/// Something that happened, once: a child ended, a lamp changed, a motion was seen.
package struct Event: Hashable, Sendable {
    /// How much it matters, for colours and for what is kept longest.
    package enum Severity: Int, Comparable, Sendable, CaseIterable {
        case debug, info, notice, warning, error

        package static func < (left: Severity, right: Severity) -> Bool {
            left.rawValue < right.rawValue
        }

        package var name: String { String(describing: self) }
    }

    package let instant: MonotonicInstant
    /// The child or device it is about: `balcony`, `lights`, `supervisor`.
    package let source: String
    /// A constant of the code: `child restarted`, `motion`, `lamp changed`.
    package let kind: String
    package let severity: Severity
    /// What varies, in the order it reads: `[("lamp", "green"), ("was", "unknown")]`.
    package let details: [Detail]

    package struct Detail: Hashable, Sendable {
        package let key: String
        package let value: String

        package init(_ key: String, _ value: String) {
            self.key = key
            self.value = value
        }
    }

    package init(
        at instant: MonotonicInstant,
        source: String,
        kind: String,
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

    /// An event as it was stored.
    package init(
        at instant: MonotonicInstant,
        source: String,
        kind: String,
        severity: Severity,
        details: [Detail]
    ) {
        self.instant = instant
        self.source = source
        self.kind = kind
        self.severity = severity
        self.details = details
    }

    package subscript(key: String) -> String? { details.first { $0.key == key }?.value }
}
