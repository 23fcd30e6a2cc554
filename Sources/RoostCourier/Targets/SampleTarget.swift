import Core

/// A receiver of samples.
///
/// It makes requests and judges answers; `OutboxMachine` decides what is sent when, and what
/// happens after a failure.
package protocol SampleTarget: Sendable {
    var traits: SampleTargetTraits { get }

    /// A request without data that succeeds if the server accepts the login; nil for none.
    var probe: OutboundRequest? { get }

    /// Returns why a sample is not for this target, besides its age; nil when it is.
    func leavesOut(_ sample: OutboxSample) -> LeftOut?

    /// Whether this target can take any of a device's channels.
    func takes(_ channels: SampleChannels) -> Bool

    /// Learns which channels the station has, before it judges samples of any.
    ///
    /// - Parameter station: Empty while the station is not known.
    func see(_ station: [SampleChannels])

    /// Why samples that it takes are left out for now; nil while none are.
    var waitsFor: DeliveryReason? { get }

    /// Channels whose values the receiver refused; samples are sent without them.
    var refusedChannels: [String: DeliveryReason] { get }

    /// Tries refused channels again: their owner has repaired the receiver.
    func forgetRefusals()

    /// Sends a batch and waits for the receiver's answer.
    ///
    /// Called for one batch at a time. Safe to call again with the same batch.
    ///
    /// - Throws: `CancellationError` alone; what the network does is in the outcome.
    func deliver(
        _ batch: SampleBatch,
        over network: any CourierNetwork
    ) async throws -> DeliveryOutcome
}

extension SampleTarget {
    package var probe: OutboundRequest? { nil }

    package func takes(_ channels: SampleChannels) -> Bool { true }

    package func see(_ station: [SampleChannels]) {}

    package var waitsFor: DeliveryReason? { nil }

    package var refusedChannels: [String: DeliveryReason] { [:] }

    package func forgetRefusals() {}

    /// Returns why a sample is left out; one with only impossible values counts as doubtful.
    func reason(leavingOut sample: OutboxSample) -> LeftOut? {
        let reason = leavesOut(sample)
        return reason == .noValue && sample.isOutOfRange ? .flagged : reason
    }
}

/// Traits of a target that its outbox has to know.
package struct SampleTargetTraits: Hashable, Sendable {
    /// Whether a batch is sent again when it is unknown if it arrived.
    package enum Repetition: Hashable, Sendable {
        /// The receiver knows repeated items by a key, or can be asked: send again.
        case harmless
        /// Send again, though an item may arrive twice.
        case atLeastOnce
        /// Never send again: an item may be missing.
        case atMostOnce
    }

    /// Whether a sample must have a date.
    package enum Dating: Hashable, Sendable {
        /// The sample waits until a trusted clock has dated its boot.
        case needed
        /// The sample's age will do, which is known in the present boot.
        case orAge
        /// The receiver dates samples by their arrival.
        case unneeded
    }

    /// Samples in one request, 1…5 000.
    package var itemLimit = 2_000
    /// Highest age of a sample that is sent; nil sends any that the ring has.
    package var ageLimit: Duration?
    package var repetition = Repetition.harmless
    /// Shortest time between two requests.
    package var pace: Duration = .milliseconds(250)
    /// Shortest time between two requests with new samples, which are sent together.
    package var liveInterval: Duration = .seconds(0)
    /// Whether it may refuse samples for their age, so that some are sent to find the limit.
    package var refusesByAge = true
    package var dating = Dating.needed

    package init() {}
}
