import Core

/// Event of a target of samples that a person should know about.
package enum OutboxNotice: Hashable, Sendable {
    case held(DeliveryReason)
    case resumed
    case refused(StreamID, from: OutboxPosition, count: Int, DeliveryReason)
    /// The receiver refuses the values of a channel; its samples go without them.
    case refusedChannel(String, DeliveryReason)
    case expired(StreamID, count: Int)
    /// Samples were left out because the target keeps none so old.
    case notKept(count: Int, DeliveryReason)
    case drained(count: Int)
    /// The cursor could not be read: the target begins anew.
    case cursorLost(String)
}
