import Core

/// Dependencies of the task of one target, whose items come from a source.
struct DeliveryDependencies<Source: Sendable>: Sendable {
    let source: Source
    let cursors: any CursorStore
    let network: any CourierNetwork
    let clock: any NodeClock
    let dates: LeastDate
    /// Receives the events that people should know about.
    let tell: @Sendable (_ target: String, DeliveryNotice) -> Void

    init(
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
