import Core

/// Event of a target of samples that a person should know about.
package enum OutboxNotice: Hashable, Sendable {
    case held(DeliveryReason)
    case resumed
    case refused(StreamID, from: OutboxPosition, count: Int, DeliveryReason)
    /// Values of a channel, whose samples go without it.
    case refusedChannel(String, DeliveryReason)
    case expired(StreamID, count: Int)
    /// Samples that were left out because the target keeps none so old.
    case notKept(count: Int, DeliveryReason)
    case drained(count: Int)
    /// The cursor could not be read: the target begins anew.
    case cursorLost(String)
}
