/// Change of an alert, as an event records it.
///
/// Each but a silence has a number that counts up over the store's life: receivers tell repeats
/// apart by it. Ages and spans are whole seconds.
package enum AlertEvent: Hashable, Sendable {
    case raised(Raised)
    case level(Level)
    case acknowledged(Acknowledged)
    case resolved(Resolved)
    case silenced(Silenced)
    /// All that is raised: written at start, at the end and once a day.
    case standing(Standing)

    /// Identity of an alert: its rule, and the channel, the device or `station`.
    package struct Key: Hashable, Sendable, CustomStringConvertible {
        package let rule: String
        package let subject: String

        package init(_ rule: String, _ subject: String) {
            (self.rule, self.subject) = (rule, subject)
        }

        /// Reads `who-24h:balcony/pm25`; nil when it is no key.
        package init?(_ text: some StringProtocol) {
            let parts = text.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { return nil }
            self.init(String(parts[0]), String(parts[1]))
        }

        package var description: String { "\(rule):\(subject)" }
    }

    package struct Raised: Hashable, Sendable {
        /// Begins the flag of a test that names its receiver: `to:phone`.
        package static let receiverMark = "to:"
        /// Begins the flag with the count of values that no part can give, and that do not count.
        package static let omittedMark = "omitted:"

        /// The notice's number, which is also the alert's as long as it is raised.
        package let number: Int64
        package let key: Key
        /// 1 or 2.
        package var level = 1
        package var severity = AlertSeverity.warning
        /// The kind of the rule: `mean`, `silent`.
        package var kind = ""
        /// Value as people read it; nil where the rule compares no value.
        package var value: FixedPoint?
        package var unit: String?
        package var limit: FixedPoint?
        /// The averaging time of the value.
        package var over: Int?
        /// How long the condition held before.
        package var held = 0
        /// Doubts about the value, `flapping`, `omitted:2`, `silenced`, `test`.
        package var flags: [String] = []
        /// Why, for a rule without a value: `unplugged`.
        package var why: String?
        /// Values of its time that do not count.
        package var omitted: Int {
            flags.lazy.compactMap { flag in
                flag.hasPrefix(Self.omittedMark) ? Int(flag.dropFirst(Self.omittedMark.count)) : nil
            }.first ?? 0
        }

        package init(_ number: Int64, _ key: Key) { (self.number, self.key) = (number, key) }
    }

    package struct Level: Hashable, Sendable {
        package let number: Int64
        /// The number of its raise.
        package let raise: Int64
        package let key: Key
        package let level: Int
        package let was: Int
        package let severity: AlertSeverity
        package var value: FixedPoint?

        package init(
            number: Int64,
            raise: Int64,
            key: Key,
            level: Int,
            was: Int,
            severity: AlertSeverity,
            value: FixedPoint?
        ) {
            self.number = number
            self.raise = raise
            self.key = key
            self.level = level
            self.was = was
            self.severity = severity
            self.value = value
        }
    }

    package struct Acknowledged: Hashable, Sendable {
        package let number: Int64
        package let raise: Int64
        package let key: Key
        package let by: String
        /// Duration; nil until the alert is resolved or reaches a higher level.
        package let seconds: Int?

        package init(_ number: Int64, of raise: Int64, _ key: Key, by: String, for seconds: Int?) {
            (self.number, self.raise, self.key) = (number, raise, key)
            (self.by, self.seconds) = (by, seconds)
        }
    }

    package struct Resolved: Hashable, Sendable {
        /// Why an alert is over.
        package enum Reason: String, CaseIterable, Sendable {
            /// The condition does not hold any more.
            case over
            /// There were no values for a day.
            case noData = "no data"
            case muted
            /// Its rule is not in the configuration any more.
            case ruleRemoved = "rule removed"
            /// Its device was removed, or has another name.
            case deviceRemoved = "device removed"
        }

        package let number: Int64
        package let raise: Int64
        package let key: Key
        package let why: Reason
        package let lasted: Int
        package let worst: FixedPoint?
        package let severity: AlertSeverity

        package init(
            number: Int64,
            raise: Int64,
            key: Key,
            why: Reason,
            lasted: Int,
            worst: FixedPoint?,
            severity: AlertSeverity
        ) {
            self.number = number
            self.raise = raise
            self.key = key
            self.why = why
            self.lasted = lasted
            self.worst = worst
            self.severity = severity
        }
    }

    package struct Silenced: Hashable, Sendable {
        package let key: Key
        /// Length of the silence from now; 0 ends it.
        package let seconds: Int
        package let by: String

        package init(_ key: Key, for seconds: Int, by: String) {
            (self.key, self.seconds, self.by) = (key, seconds, by)
        }
    }

    package struct Standing: Hashable, Sendable {
        /// One raised alert.
        package struct Entry: Hashable, Sendable {
            package let raise: Int64
            package let key: Key
            package let level: Int
            /// Seconds since its raise.
            package let age: Int
            package let worst: FixedPoint?
            /// Seconds for which it stays acknowledged; nil when it is not, `Int.max` until it is
            /// resolved.
            package let acknowledged: Int?

            package init(
                raise: Int64,
                key: Key,
                level: Int,
                age: Int,
                worst: FixedPoint?,
                acknowledged: Int?
            ) {
                self.raise = raise
                self.key = key
                self.level = level
                self.age = age
                self.worst = worst
                self.acknowledged = acknowledged
            }
        }

        /// Entries and silences of one event, so that it fits a record of the journal.
        static let partSize = 3

        /// The last number that was given.
        package let number: Int64
        /// Number of this event among the `parts` events of one list, from 1 on.
        package let part: Int
        package let parts: Int
        package let alerts: [Entry]
        package let silences: [Silence]

        /// One key that is silenced, for so many seconds more.
        package struct Silence: Hashable, Sendable {
            package let key: Key
            package let seconds: Int

            package init(_ key: Key, _ seconds: Int) { (self.key, self.seconds) = (key, seconds) }
        }

        package init(
            number: Int64,
            part: Int = 1,
            of parts: Int = 1,
            alerts: [Entry],
            silences: [Silence]
        ) {
            (self.number, self.part, self.parts) = (number, part, parts)
            (self.alerts, self.silences) = (alerts, silences)
        }

        /// A list as events, at least one.
        package static func events(
            number: Int64,
            _ alerts: [Entry],
            _ silences: [Silence]
        ) -> [Standing] {
            let parts = max(1, (alerts.count + silences.count + partSize - 1) / partSize)
            return (0..<parts).map { part in
                let range = part * partSize..<(part + 1) * partSize
                let later = range.lowerBound - alerts.count..<range.upperBound - alerts.count
                return Standing(
                    number: number,
                    part: part + 1,
                    of: parts,
                    alerts: alerts.indices.filter(range.contains).map { alerts[$0] },
                    silences: silences.indices.filter(later.contains).map { silences[$0] }
                )
            }
        }
    }

    /// The severity of the event.
    package var severity: EventSeverity {
        switch self {
        case .raised(let raised): raised.severity.ofEvent
        case .level(let level): level.severity.ofEvent
        // A receiver waits for the end as well; it is on the card within two seconds.
        case .resolved(let resolved): min(resolved.severity.ofEvent, .warning)
        case .acknowledged, .silenced: .notice
        case .standing: .info
        }
    }

    /// Whether it only lists what is raised.
    package var isStanding: Bool {
        if case .standing = self { true } else { false }
    }

    /// The highest number in it; nil for a silence.
    package var number: Int64? {
        switch self {
        case .raised(let raised): raised.number
        case .level(let level): level.number
        case .acknowledged(let acknowledged): acknowledged.number
        case .resolved(let resolved): resolved.number
        case .silenced: nil
        case .standing(let standing): standing.number
        }
    }

    /// Identity of the alert; nil for the list of all.
    package var key: Key? {
        switch self {
        case .raised(let raised): raised.key
        case .level(let level): level.key
        case .acknowledged(let acknowledged): acknowledged.key
        case .resolved(let resolved): resolved.key
        case .silenced(let silenced): silenced.key
        case .standing: nil
        }
    }
}
