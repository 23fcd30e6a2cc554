/// One push service's way of taking a message for one subscriber.
package protocol PushSender: Sendable {
    /// Whom it reaches.
    var kind: Subscriber.Kind { get }

    /// Sends one notice to one subscriber and waits for the service's word.
    ///
    /// - Throws: `CancellationError` alone.
    func deliver(
        _ notice: Notice,
        to subscriber: Subscriber,
        over network: any CourierNetwork
    ) async throws -> PushOutcome
}

/// What became of one message.
package enum PushOutcome: Hashable, Sendable {
    /// As for other receivers; `hold` is about the station's key, never about one subscriber.
    case judged(DeliveryOutcome)
    /// The subscriber is there no more, and is to be removed.
    case gone(DeliveryReason)
}

extension Notice {
    /// As people read it, with the mark of a test.
    var shownTitle: String { (isTest ? "TEST: " : "") + title }

    /// Messages of one alert replace each other: 26 letters and digits.
    var topic: String { BatchID.digest(Array(key.utf8)) }

    /// Seconds after which a message about air is of no use.
    static let lifetime = 14_400
}
