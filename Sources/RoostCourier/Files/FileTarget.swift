/// A receiver of whole files, each under a name that was free.
///
/// It makes requests and judges answers; `FileOutboxMachine` decides what is sent when, and what
/// happens after a failure. A restart may lose all that it keeps.
package protocol FileTarget: Sendable {
    /// A request that changes nothing and succeeds if the receiver accepts the login; nil for none.
    var probe: OutboundRequest? { get }

    /// Sends a file and waits for the receiver's proof.
    ///
    /// Called for one file at a time. Safe to call again with the same file: where the name is
    /// taken, an equal file is `delivered`, another one is `refused` and stays as it is.
    ///
    /// - Throws: `CancellationError`; what making the file throws. What the network does is in
    ///   the outcome.
    func deliver(
        _ file: OutboxFile,
        over network: any CourierNetwork
    ) async throws -> DeliveryOutcome

    /// Asks for the state of a file name at the receiver, and changes nothing there.
    ///
    /// - Throws: `CancellationError`; what making the file throws. What the network does is in
    ///   the answer.
    func holding(
        of file: OutboxFile,
        over network: any CourierNetwork
    ) async throws -> FileHolding
}

extension FileTarget {
    package var probe: OutboundRequest? { nil }
}

/// State of one file name at the receiver.
package enum FileHolding: Hashable, Sendable {
    /// The receiver has the same bytes, by the proof that its protocol gives.
    case equal
    /// The receiver has a file with other bytes.
    case other
    case missing
    /// The receiver could not be asked.
    case unanswered(DeliveryReason)

    /// Converts the outcome of a request into the state of the file at the receiver.
    ///
    /// - Parameter outcome: The target's judgement of an upload's answer.
    /// - Returns: Why it could not be asked, or that it has the file.
    static func of(_ outcome: DeliveryOutcome) -> FileHolding {
        switch outcome {
        case .delivered: .equal
        case .partly(_, let reason), .later(let reason, _), .hold(let reason),
            .refused(let reason), .unknown(let reason), .foreign(let reason):
            .unanswered(reason)
        }
    }
}
