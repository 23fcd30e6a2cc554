/// Address and settings of an MQTT broker.
package struct BrokerSettings: Hashable, Sendable {
    /// Message that the broker publishes when this client vanishes (the will of MQTT).
    package struct Will: Hashable, Sendable {
        package let topic: String
        package let payload: [UInt8]
        package let delaySeconds: Int

        package init(topic: String, payload: [UInt8], delaySeconds: Int) {
            (self.topic, self.payload, self.delaySeconds) = (topic, payload, delaySeconds)
        }
    }

    package var host: String
    /// 1…65 535.
    package var port: Int
    package var isEncrypted: Bool
    package var clientID: String
    package var user: String?
    package var password: Secret?
    package var trust = ServerTrust.system
    package var keepAliveSeconds = 60
    /// MQTT protocol level: 5, or 4 for MQTT 3.1.1.
    package var protocolVersion = 5
    package var will: Will?

    package init(host: String, port: Int, isEncrypted: Bool, clientID: String) {
        (self.host, self.port) = (host, port)
        (self.isEncrypted, self.clientID) = (isEncrypted, clientID)
    }
}

/// One message for a broker.
package struct BrokerMessage: Hashable, Sendable {
    package let topic: String
    package let payload: [UInt8]
    package let isRetained: Bool
    /// Seconds after which the broker throws it away (MQTT 5); nil never.
    package let expirySeconds: Int?

    package init(
        topic: String,
        payload: [UInt8],
        isRetained: Bool = false,
        expirySeconds: Int? = nil
    ) {
        (self.topic, self.payload) = (topic, payload)
        (self.isRetained, self.expirySeconds) = (isRetained, expirySeconds)
    }

    /// Returns the same message with another expiry.
    func expiring(in seconds: Int) -> BrokerMessage {
        BrokerMessage(
            topic: topic,
            payload: payload,
            isRetained: isRetained,
            expirySeconds: seconds
        )
    }
}

/// A connection to an MQTT broker.
package protocol BrokerConnection: Sendable {
    /// MQTT protocol level: 5, or 4 for MQTT 3.1.1.
    var protocolVersion: Int { get }

    /// Why the connection ended; nil while it lasts, or where the reason is unknown.
    var ending: NetworkFailure? { get }

    /// Publishes with quality of service 1 and waits for the broker's acknowledgement.
    ///
    /// - Returns: The reason code of MQTT 5: 0 accepted, 0x10 no subscriber, from 0x80 refused;
    ///   0 always with 3.1.1.
    /// - Throws: `NetworkFailure` when the connection ends first; `CancellationError`.
    func publish(_ message: BrokerMessage) async throws -> Int

    /// Subscribes to a topic.
    ///
    /// - Throws: As `publish`.
    func subscribe(_ topic: String) async throws

    /// Returns the next message of a subscribed topic; nil once the connection has ended.
    ///
    /// Bound: 64 wait, further ones are dropped and counted.
    ///
    /// - Throws: `CancellationError`.
    func nextMessage() async throws -> BrokerMessage?

    /// Disconnects in order: the broker does not publish the will.
    func close() async
}

extension BrokerConnection {
    package var ending: NetworkFailure? { nil }
}
