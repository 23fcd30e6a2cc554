import Core

/// What the task of a target of samples works with.
package struct OutboxWorld: Sendable {
    package let source: any SampleSource
    package let keeper: any CursorKeeper
    package let network: any CourierNetwork
    package let clock: any NodeClock
    /// Receives what people should learn of.
    package let tell: @Sendable (_ target: String, OutboxNotice) -> Void

    package init(
        source: any SampleSource,
        keeper: any CursorKeeper,
        network: any CourierNetwork,
        clock: any NodeClock,
        tell: @escaping @Sendable (_ target: String, OutboxNotice) -> Void
    ) {
        (self.source, self.keeper, self.network) = (source, keeper, network)
        (self.clock, self.tell) = (clock, tell)
    }
}
