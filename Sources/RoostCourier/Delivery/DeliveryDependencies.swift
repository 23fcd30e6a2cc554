import Core

/// Dependencies of the task of one target, whose items come from a source.
package struct DeliveryDependencies<Source: Sendable>: Sendable {
    package let source: Source
    package let cursors: any CursorStore
    package let network: any CourierNetwork
    package let clock: any NodeClock
    let dates: LeastDate
    /// Receives the events that people should know about.
    package let tell: @Sendable (_ target: String, DeliveryNotice) -> Void

    package init(
        source: Source,
        cursors: any CursorStore,
        network: any CourierNetwork,
        clock: any NodeClock,
        tell: @escaping @Sendable (_ target: String, DeliveryNotice) -> Void
    ) {
        (self.source, self.cursors, self.network) = (source, cursors, network)
        (self.clock, self.tell, dates) = (clock, tell, LeastDate(clock))
    }
}
