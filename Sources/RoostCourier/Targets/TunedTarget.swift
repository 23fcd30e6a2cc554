/// A target with what its owner says of it: pace, age, how long samples wait for one another.
package struct TunedTarget: SampleTarget {
    package let traits: SampleTargetTraits
    let target: any SampleTarget

    package init(_ target: any SampleTarget, _ traits: SampleTargetTraits) {
        (self.target, self.traits) = (target, traits)
    }

    package var probe: OutboundRequest? { target.probe }

    package func leavesOut(_ sample: OutboxSample) -> LeftOut? { target.leavesOut(sample) }

    package func takes(_ channels: SampleChannels) -> Bool { target.takes(channels) }

    package var refusedChannels: [String: DeliveryReason] { target.refusedChannels }

    package func forgetRefusals() { target.forgetRefusals() }

    package func deliver(
        _ batch: SampleBatch,
        over network: any CourierNetwork
    ) async throws -> DeliveryOutcome {
        try await target.deliver(batch, over: network)
    }
}
