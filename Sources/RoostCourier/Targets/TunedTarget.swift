/// A target with what its owner says of it: pace, age, how long samples wait for one another.
struct TunedTarget: SampleTarget {
    let traits: SampleTargetTraits
    let target: any SampleTarget

    init(_ target: any SampleTarget, _ traits: SampleTargetTraits) {
        (self.target, self.traits) = (target, traits)
    }

    var probe: OutboundRequest? { target.probe }

    func leavesOut(_ sample: OutboxSample) -> LeftOut? { target.leavesOut(sample) }

    func takes(_ channels: SampleChannels) -> Bool { target.takes(channels) }

    func see(_ station: [SampleChannels]) { target.see(station) }

    var waitsFor: DeliveryReason? { target.waitsFor }

    var refusedChannels: [String: DeliveryReason] { target.refusedChannels }

    func forgetRefusals() { target.forgetRefusals() }

    func deliver(
        _ batch: SampleBatch,
        over network: any CourierNetwork
    ) async throws -> DeliveryOutcome {
        try await target.deliver(batch, over: network)
    }
}
