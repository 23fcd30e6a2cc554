import ControlProtocol
import Core
import HardwareIO
import Supervision

/// `snooze`.
extension ControlAnswers {
    /// Lets the HealthMonitor count every child as on time for a while, and records the user.
    func snooze(_ request: ControlRequest, from peer: PeerCredentials?) async throws -> String {
        let most = HealthMonitorMachine.snoozeMax.inSeconds
        guard let seconds = request.seconds, (0...most).contains(seconds) else {
            return try refuse("bad-request", "seconds is 0 to \(Int(most)); 0 ends a snooze")
        }
        guard let vigil = dependencies.vigil() else {
            return try refuse("not-allowed", "the station is starting; try again in a moment")
        }
        vigil.snooze(for: .milliseconds(Int64(seconds * 1_000)))
        if let peer {
            await station.recorder.record(
                Event(
                    at: station.clock.now,
                    source: "control",
                    kind: "snooze asked for",
                    ["seconds": "\(seconds)", "user": "\(peer.userID)", "pid": "\(peer.processID)"]
                )
            )
        }
        return try ControlCodec.line(ControlAnswer(.success(status())))
    }

    private func refuse(_ code: String, _ message: String) throws -> String {
        let failure = ControlFailure(code: code, message: message)
        return try ControlCodec.line(ControlAnswer<StatusReport>(.failure(failure)))
    }
}
