/// Sender of messages to one push service.
protocol PushSender: Sendable {
    /// Kind of subscribers that the sender reaches.
    var kind: Subscriber.Kind { get }

    /// Sends one notice to one subscriber and waits for the service's answer.
    ///
    /// - Throws: `CancellationError` alone.
    func deliver(
        _ notice: Notice,
        to subscriber: Subscriber,
        over network: any CourierNetwork
    ) async throws -> PushOutcome
}

/// Outcome of one push message.
enum PushOutcome: Hashable, Sendable {
    /// The outcome as for other receivers; `hold` concerns the station's key, never one subscriber.
    case judged(DeliveryOutcome)
    /// The subscriber no longer exists, and has to be removed.
    case gone(DeliveryReason)
}

extension Notice {
    /// The title as people read it, with the mark of a test.
    var shownTitle: String { (isTest ? "TEST: " : "") + title }

    /// Id by which messages of one alert replace each other: 26 letters and digits.
    var topic: String { BatchID.digest(Array(key.utf8)) }

    /// Seconds after which a message about the air is useless.
    static let lifetime = 14_400
}
