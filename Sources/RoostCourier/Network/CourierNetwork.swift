/// Network of the targets: libcurl and libmosquitto in the program, a simulation in tests.
package protocol CourierNetwork: Sendable {
    /// Sends a request and waits for its answer, within its time.
    ///
    /// Follows no redirect. Looks names up itself and never blocks the thread.
    ///
    /// - Throws: `NetworkFailure`; `CancellationError`.
    func exchange(_ request: OutboundRequest) async throws -> OutboundAnswer

    /// Uploads a body that is made while it is sent.
    ///
    /// - Parameters:
    ///   - request: Its own body is not used.
    ///   - size: Bytes of the body.
    ///   - read: The next piece, at most 64 KiB; nil at the end.
    /// - Returns: The server\'s answer.
    /// - Throws: `NetworkFailure`; `CancellationError`.
    func upload(
        _ request: OutboundRequest,
        size: Int,
        _ read: @escaping @Sendable () async throws -> [UInt8]?
    ) async throws -> OutboundAnswer

    /// Sends a message to a mail server.
    ///
    /// - Returns: The server's last answer, as `OutboundAnswer.status` 250 and its text.
    /// - Throws: `NetworkFailure`; `CancellationError`.
    func send(_ message: MailMessage) async throws -> OutboundAnswer

    /// Connects to an MQTT broker.
    ///
    /// - Throws: `NetworkFailure`; `CancellationError`.
    func connect(_ broker: BrokerSettings) async throws -> any BrokerConnection
}
