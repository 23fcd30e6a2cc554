import Core

/// A connection that an `MQTTTarget` made.
struct MQTTConnection {
    let number: Int
    let link: any BrokerConnection
    let openedAt: MonotonicInstant
}
