import RoostCourier

/// A refusal by the broker's CONNACK.
struct BrokerRefusal: Error, Hashable {
    /// The reason code of MQTT 5, or the return code of 3.1.1.
    let code: Int
    let protocolVersion: Int

    /// Whether the broker does not speak the requested version of MQTT.
    var isOfVersion: Bool { code == 0x84 || code == 1 }

    func failure(_ place: String) -> NetworkFailure {
        let words = "\(place): \(BrokerReason.text(code))"
        let known = BrokerReason.name(code)
        switch code {
        case 4, 5, 0x86, 0x87, 0x8A, 0x8C:
            return NetworkFailure(.notAuthorised, words, code: known)
        case 3, 0x88, 0x89, 0x97, 0x9F: return NetworkFailure(.closed, words, code: known)
        default: return NetworkFailure(.malformed, words, code: known)
        }
    }
}

/// Names and sentences for a broker's reason codes.
enum BrokerReason {
    /// A name for a page, which has a sentence in its person's language for it; nil for a rare one.
    static func name(_ code: Int) -> String? {
        switch code {
        case 1, 0x84: "broker-version"
        case 2, 0x85: "broker-client"
        case 3, 0x88, 0x8B: "broker-away"
        case 4, 0x86: "broker-login"
        case 5, 0x87: "broker-forbids"
        case 0x89, 0x97, 0x9F: "broker-busy"
        case 0x8A: "broker-banned"
        case 0x8C: "broker-method"
        default: nil
        }
    }

    /// - Source: OASIS, *MQTT Version 5.0*, section 2.4; *MQTT Version 3.1.1*, section 3.2.2.3.
    static func text(_ code: Int) -> String {
        switch code {
        case 1, 0x84: "the broker does not speak this version of MQTT"
        case 2, 0x85: "the broker does not take this client id"
        case 3, 0x88: "the broker says that it is not available"
        case 4, 0x86: "the broker refuses the user or the password"
        case 5, 0x87: "the broker does not authorise this client"
        case 0x89: "the broker is busy"
        case 0x8A: "the broker has banned this client"
        case 0x8B: "the broker is shutting down"
        case 0x8C: "the broker demands another way to log in"
        case 0x8D: "the broker heard nothing for too long"
        case 0x8E: "another client took over this client id"
        case 0x90: "the broker does not take this topic"
        case 0x93: "more messages at once than the broker takes"
        case 0x95: "the broker does not take messages of this size"
        case 0x97: "a quota of the broker is used up"
        case 0x99: "the broker does not take this payload"
        case 0x9A: "the broker keeps no retained messages"
        case 0x9B: "the broker does not take this quality of service"
        case 0x9C, 0x9D: "the broker sends to another server"
        case 0x9F: "the broker takes fewer connections in this time"
        default: "reason \(code) of the broker"
        }
    }
}
