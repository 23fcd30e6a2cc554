import Core

/// Event of a target or receiver that a person should know about.
enum DeliveryNotice: Hashable, Sendable {
    /// Subject of an event.
    enum Item: Hashable, Sendable {
        case sample(RefusedSample)
        /// Samples of a stream.
        case stream(StreamID)
        /// Samples that are older than the target keeps.
        case old
        case channel(String)
        /// A file, a drive, a notice, or a kind of them, by name.
        case named(String)
    }

    /// Nothing goes until a person acts.
    case held(DeliveryReason)
    case resumed
    /// The receiver will never take the item, which is left out; `samples` are those in it.
    case refused(Item, samples: Int?, DeliveryReason)
    /// The receiver fails at this item and accepts others; it is tried again by itself.
    case setAside(Item, DeliveryReason)
    /// The ring overwrote samples before they were delivered.
    case expired(Item, samples: Int)
    /// A backlog was sent: how many samples, or items of another kind.
    case drained(Int, of: String? = nil)
    /// The cursor could not be read: the target begins anew.
    case cursorLost(String)
    /// A receiver has taken its first notice of this alert.
    case sent(AlertEvent.Key)
}

extension DeliveryNotice.Item: CustomStringConvertible {
    var description: String {
        switch self {
        case .sample(let sample):
            "\(sample.stream.rawValue)/\(sample.place.boot)/\(sample.place.tick.tenths)"
        case .stream(let stream): "stream \(stream.rawValue)"
        case .old: "old"
        case .channel(let name): "channel \(name)"
        case .named(let name): name
        }
    }
}
