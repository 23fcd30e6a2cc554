import Core

/// A connection that an `MQTTTarget` made.
struct MQTTConnection {
    let number: Int
    let link: any BrokerConnection
    let openedAt: MonotonicInstant
}

/// The last value of a device, for a Home Assistant that restarts.
struct MQTTValue {
    let message: BrokerMessage
    let until: MonotonicInstant
}
