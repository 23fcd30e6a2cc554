import Core

/// Event that a broker's clients hear at once: a motion, or a change of an alert.
package enum MQTTEvent: Hashable, Sendable {
    case motion(MQTTPayloads.Motion)
    case alert(Alert)

    /// A change of an alert, as the station recorded it.
    package struct Alert: Hashable, Sendable {
        let event: AlertEvent
        let time: WallTime?
        /// Time since it happened.
        var age: Duration
        /// Whether the alert began and ended while the broker was away.
        var isLate = false

        /// Number of the raise that the change belongs to.
        var raise: Int64? {
            switch event {
            case .raised(let raised): raised.number
            case .level(let level): level.raise
            case .acknowledged(let said): said.raise
            case .resolved(let end): end.raise
            case .silenced, .standing: nil
            }
        }

        var isRaise: Bool { if case .raised = event { true } else { false } }
        var isEnd: Bool { if case .resolved = event { true } else { false } }

        /// Makes a change of an alert; nil for silences, lists, and tests for another receiver.
        ///
        /// - Parameters:
        ///   - time: UTC; nil while no trusted clock says it.
        package init?(_ event: AlertEvent, time: WallTime?, age: Duration) {
            switch event {
            case .raised(let raised):
                let isForOne = raised.flags.contains {
                    $0.hasPrefix(AlertEvent.Raised.receiverMark)
                }
                guard !isForOne else { return nil }
            case .level, .acknowledged, .resolved: break
            case .silenced, .standing: return nil
            }
            (self.event, self.time, self.age) = (event, time, age)
        }
    }

    /// Time for which a broker keeps a change of an alert for a client that is away.
    private static let alertLimit: Duration = .seconds(3_600)

    /// Returns the event with a greater age.
    func aged(by time: Duration) -> MQTTEvent {
        switch self {
        case .motion(var motion):
            motion.age += time
            return .motion(motion)
        case .alert(var alert):
            alert.age += time
            return .alert(alert)
        }
    }

    /// Makes the messages of a motion, or of a change of an alert younger than an hour.
    package func messages(_ payloads: MQTTPayloads) -> [BrokerMessage] {
        switch self {
        case .motion(let motion): return payloads.motion(motion)
        case .alert(let alert):
            let left = Self.alertLimit - alert.age
            guard left > .zero else { return [] }
            return [
                BrokerMessage(
                    topic: alert.isLate ? payloads.topics.lateAlert : payloads.topics.alert,
                    payload: Array(WireJSON.object(Self.members(alert)).utf8),
                    isRetained: false,
                    expirySeconds: Int(left.components.seconds)
                )
            ]
        }
    }

    private static func members(_ alert: Alert) -> [(key: String, value: String)] {
        var members: [(key: String, value: String)] = []
        func add(_ key: String, _ value: String?) {
            if let value { members.append((key, value)) }
        }
        func begin(_ type: String, _ number: Int64, of raise: Int64, _ key: AlertEvent.Key) {
            add("id", WireJSON.string("\(number)"))
            add("event_type", WireJSON.string(type))
            add("alert", "\(raise)")
            add("t", alert.time.map { WireJSON.string($0.iso8601) })
            add("rule", WireJSON.string(key.rule))
            add("about", WireJSON.string(key.subject))
        }
        switch alert.event {
        case .raised(let raised):
            begin("raised", raised.number, of: raised.number, raised.key)
            add("severity", WireJSON.string(raised.severity.rawValue))
            add("level", "\(raised.level)")
            add("value", raised.value?.description)
            add("unit", raised.unit.map { WireJSON.string($0) })
            add("limit", raised.limit?.description)
            add("over", raised.over.map { "\($0)" })
            add("why", raised.why.map { WireJSON.string($0) })
            add("flags", raised.flags.isEmpty ? nil : WireJSON.strings(raised.flags))
        case .level(let level):
            begin("level", level.number, of: level.raise, level.key)
            add("severity", WireJSON.string(level.severity.rawValue))
            add("level", "\(level.level)")
            add("was", "\(level.was)")
            add("value", level.value?.description)
        case .acknowledged(let said):
            begin("acknowledged", said.number, of: said.raise, said.key)
            add("by", WireJSON.string(said.by))
        case .resolved(let resolved):
            begin("resolved", resolved.number, of: resolved.raise, resolved.key)
            add("why", WireJSON.string(resolved.why.rawValue))
            add("lasted", "\(resolved.lasted)")
            add("worst", resolved.worst?.description)
        case .silenced, .standing: break
        }
        return members
    }
}
