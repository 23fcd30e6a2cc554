import ControlProtocol
import Core
import HardwareIO
import Supervision

/// Carries out `snooze`.
struct ControlSnooze {
    let station: StationContext
    /// The HealthMonitor that runs now.
    let vigil: @Sendable () -> HealthMonitor?

    /// Lets the HealthMonitor count every child as on time for a while, and records the user.
    func start(_ request: ControlRequest, by asker: ControlAsker) throws(ControlFailure) {
        let most = HealthMonitorMachine.snoozeMax.inSeconds
        guard let seconds = request.seconds, (0...most).contains(seconds) else {
            throw ControlFailure(
                code: "bad-request",
                message: "seconds is 0 to \(Int(most)); 0 ends a snooze"
            )
        }
        guard let vigil = vigil() else {
            throw ControlFailure(
                code: "not-allowed",
                message: "the station is starting; try again in a moment"
            )
        }
        vigil.snooze(for: .milliseconds(Int64(seconds * 1_000)))
        asker.record(.snoozeAsked, [Event.Detail("seconds", "\(seconds)")], in: station)
    }
}
