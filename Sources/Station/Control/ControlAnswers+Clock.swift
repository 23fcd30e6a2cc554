import ControlProtocol
import Core
import HardwareIO
import Store

/// `clock` and `trustClock`, and the time in other answers.
extension ControlAnswers {
    /// The present time, from the most trusted source available.
    var wallReading: WallReading? {
        let said = station.clock.wallReading
        guard said?.trust != .synchronised else { return said }
        return dependencies.trustedWall() ?? said
    }

    var clockReport: ClockReport {
        let reading = wallReading
        let trust = reading?.trust ?? .unknown
        return ClockReport(
            time: reading?.wall.iso8601,
            trust: trust.name,
            isSure: trust.isSure
        )
    }

    /// Accepts a person's confirmation of the time, and records the user.
    func trustClock(_ request: ControlRequest, from peer: PeerCredentials?) async throws -> String {
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
        guard dependencies.trustWall(wall) else {
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
        await station.recorder.record(
            Event(
                at: station.clock.now,
                source: "control",
                kind: "clock trusted",
                severity: .notice,
                details: details
            )
        )
        return try ControlCodec.line(ControlAnswer(.success(clockReport)))
    }
}

/// The present, by both clocks.
struct Present {
    let now: MonotonicInstant
    let reading: WallReading?

    /// When an instant of this boot was; nil while the clock was never set.
    func time(of instant: MonotonicInstant) -> String? {
        guard let reading else { return nil }
        let age = instant.duration(to: now).wholeNanoseconds
        return WallTime(nanoseconds: reading.wall.nanoseconds - age).iso8601
    }

    var isSure: Bool? { reading?.trust.isSure }
}
