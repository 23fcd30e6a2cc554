/// How much an event matters, for colours and for what is kept longest.
package enum EventSeverity: Int, Comparable, Sendable, CaseIterable {
    case debug, info, notice, warning, error

    package static func < (left: EventSeverity, right: EventSeverity) -> Bool {
        left.rawValue < right.rawValue
    }

    package var name: String { String(describing: self) }
}
