import Core

/// One thing that happened to an alert, as the station numbered it.
package struct AlertNews: Hashable, Sendable {
    /// Counts up over the store's life.
    package let number: Int64
    package let event: AlertEvent
    /// UTC; nil while no trusted clock dates it.
    package let time: WallTime?

    package init(number: Int64, event: AlertEvent, time: WallTime?) {
        (self.number, self.event, self.time) = (number, event, time)
    }
}
