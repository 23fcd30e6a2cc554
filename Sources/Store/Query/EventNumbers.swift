import Core

/// Numbers events of the same instant, read in the order of writing.
///
/// Begun anywhere at or before an instant's first event it gives the same numbers.
package struct EventNumbers: Sendable {
    private var counts: [EventPosition: Int] = [:]

    package init() {}

    /// Continues the numbers behind an event that was numbered elsewhere.
    package init(after place: EventPosition?) {
        guard let place else { return }
        counts[Self.key(place.boot, place.nanoseconds)] = place.ordinal + 1
    }

    /// The place of the next event.
    package mutating func place(of event: BootEvent) -> EventPosition {
        let key = Self.key(event.boot, event.event.instant.nanoseconds)
        let ordinal = counts[key] ?? 0
        // Events of one instant are written close to one another.
        if counts.count >= 1_024 { counts = [:] }
        counts[key] = ordinal + 1
        return EventPosition(boot: key.boot, nanoseconds: key.nanoseconds, ordinal: ordinal)
    }

    private static func key(_ boot: BootID, _ nanoseconds: Int64) -> EventPosition {
        EventPosition(boot: boot, nanoseconds: nanoseconds, ordinal: 0)
    }
}
