import ControlProtocol
import Core
import HardwareIO
import Store

/// Answers `clock` and `trustClock`, and knows the time of other answers.
struct ControlClock {
    let station: StationContext
    /// The time that a person confirmed; nil without one.
    let trustedWall: @Sendable () -> WallReading?
    /// Stores a person's confirmation; false while no store is open.
    let trustWall: @Sendable (WallTime) -> Bool

    /// The present time, from the most trusted source available.
    var wallReading: WallReading? {
        let said = station.clock.wallReading
        guard said?.trust != .synchronised else { return said }
        return trustedWall() ?? said
    }

    var report: ClockReport {
        let reading = wallReading
        let trust = reading?.trust ?? .unknown
        return ClockReport(
            time: reading?.wall.iso8601,
            trust: trust.name,
            isSure: trust.isSure
        )
    }

    /// The present, for the times of an answer.
    var present: Present { Present(now: station.clock.now, reading: wallReading) }

    /// Accepts a person's confirmation of the time, and records the user.
    func trust(_ request: ControlRequest, from peer: PeerCredentials?) async throws -> String {
        func refuse(_ code: String, _ message: String) throws -> String {
            let failure = ControlFailure(code: code, message: message)
            return try ControlCodec.line(ControlAnswer<ClockReport>(.failure(failure)))
        }
        let wall: WallTime
        if let text = request.time {
            guard let typed = WallTime(iso8601: text) else {
                return try refuse("bad-request", "time is as in 2026-11-21T07:15:00Z")
            }
            wall = typed
        } else {
            guard let said = station.clock.wallReading else {
                return try refuse(
                    "no-clock",
                    "the system clock was never set; say what time it is with --at"
                )
            }
            wall = said.wall
        }
        guard trustWall(wall) else {
            return try refuse(
                "store",
                "no store is open that could remember it; see `roost status`"
            )
        }
        var details = [Event.Detail("time", wall.iso8601)]
        if let peer {
            details.append(Event.Detail("user", "\(peer.userID)"))
            details.append(Event.Detail("pid", "\(peer.processID)"))
        }
        station.recorder.record(
            Event(
                at: station.clock.now,
                source: "control",
                kind: .plain(.clockTrusted),
                severity: .notice,
                details: details
            )
        )
        return try ControlCodec.line(ControlAnswer(.success(report)))
    }
}
