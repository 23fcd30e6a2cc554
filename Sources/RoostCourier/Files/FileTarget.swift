/// A place that whole files are sent to, each under a name that was free.
///
/// It makes requests and judges answers; what is sent when, and what happens after a failure, is
/// decided by `FileOutboxMachine`. It keeps nothing that a restart may not take.
package protocol FileTarget: Sendable {
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
}
