import RoostCourier

/// Stage of a connection to a broker.
enum BrokerStage {
    case connecting, encrypting, asking, open

    /// Returns the time limit of the stage, and the failure when it takes longer.
    func lateness(of name: String) -> (limit: Duration, NetworkFailure) {
        switch self {
        case .connecting:
            (.seconds(10), NetworkFailure(.connectTimedOut, "\(name) does not answer"))
        case .encrypting:
            (.seconds(15), NetworkFailure(.encryption, "\(name) does not agree on encryption"))
        case .asking, .open:
            // A broker answers a CONNECT at once; other servers wait for more bytes.
            (
                .seconds(10),
                NetworkFailure(
                    .silent,
                    "\(name) accepted and says nothing of MQTT; is the port right? 1883 is "
                        + "usual, 8883 with mqtts"
                )
            )
        }
    }
}
