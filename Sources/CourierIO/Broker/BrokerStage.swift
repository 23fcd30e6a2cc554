import RoostCourier

/// How far a connection to a broker has come.
enum BrokerStage {
    case connecting, encrypting, asking, open

    /// How long a stage may take, and what it means when it takes longer.
    func lateness(of name: String) -> (limit: Duration, NetworkFailure) {
        switch self {
        case .connecting:
            (.seconds(10), NetworkFailure(.connectTimedOut, "\(name) does not answer"))
        case .encrypting:
            (.seconds(15), NetworkFailure(.encryption, "\(name) does not agree on encryption"))
        case .asking, .open:
            // A broker answers a CONNECT at once; a server of another kind waits for more.
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
