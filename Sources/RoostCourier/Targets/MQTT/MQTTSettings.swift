/// Configuration of a broker and of the messages to it.
package struct MQTTSettings: Sendable {
    package var broker: BrokerSettings
    package let payloads: MQTTPayloads
    package var hasDiscovery = true
    /// Whether a message to itself has to come back before a batch counts.
    package var proves = false

    package init(broker: BrokerSettings, payloads: MQTTPayloads) {
        (self.broker, self.payloads) = (broker, payloads)
    }
}
