import ControlProtocol
import Core
import HardwareIO
import Store

/// Answers `clock` and `trustClock`, and knows the time of other answers.
struct ControlClock {
    let station: StationContext

    /// The present time, from the most trusted source available.
    var wallReading: WallReading? { station.givenTime.reading(beside: station.clock) }

    var report: ClockReport {
        let reading = wallReading
        let trust = reading?.trust ?? .unknown
        let isNearby = trust == .station
        let doubt = isNearby ? station.givenTime.doubt(at: station.clock.now) : trust.uncertainty
        var report = ClockReport(
            time: reading?.wall.iso8601,
            trust: trust.name,
            isSure: trust.isSure,
            uncertaintySeconds: doubt.map { Int(($0 / .seconds(1)).rounded(.up)) }
        )
        if isNearby || !trust.isSure { report.nearby = station.givenTime.nearby }
        return report
    }

    /// The present, for the times of an answer.
    var present: Present { Present(now: station.clock.now, reading: wallReading) }

    /// Accepts a person's confirmation of the time, and records the user.
    func trust(_ request: ControlRequest, from peer: PeerCredentials?) async throws -> String {
        func refuse(_ code: RefusalCode, _ message: String) throws -> String {
            let failure = ControlFailure(code: code, message: message)
            return try ControlCodec.line(ControlAnswer<ClockReport>(.failure(failure)))
        }
        let wall: WallTime
        if let text = request.time {
            guard let typed = WallTime(iso8601: text) else {
                return try refuse(.badRequest, "time is as in 2026-11-21T07:15:00Z")
            }
            wall = typed
        } else {
            guard let said = station.clock.wallReading else {
                return try refuse(
                    .store,
                    "the system clock was never set; say what time it is with --at"
                )
            }
            wall = said.wall
        }
        let time = ConfirmedTime(wall, at: station.clock.now, by: .person)
        guard station.givenTime.give(time, beside: station.clock.wallReading) != nil else {
            return try refuse(Self.noStore.code, Self.noStore.message)
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

    private static let noStore = ControlFailure(
        code: .store,
        message: "no store is open that could remember it; see `roost status`"
    )

    /// Uses the time that stations nearby agree on while nothing better is known.
    ///
    /// - Throws: `ControlFailure` `bad-request`.
    func hearNeighbours(_ request: ControlRequest) throws(ControlFailure) -> ClockReport {
        let times = request.neighbours ?? []
        guard times.count <= NeighbourTime.countMax else {
            throw ControlFailure(
                code: .badRequest,
                message: "there are \(times.count) neighbours; \(NeighbourTime.countMax) at most"
            )
        }
        station.hear(times)
        return report
    }

    /// Uses the time of an owner's browser while nothing better is known, and records who gave it.
    ///
    /// - Throws: `ControlFailure` `bad-request`, `store`.
    func accept(
        _ request: ControlRequest,
        by asker: ControlAsker
    ) throws(ControlFailure) -> ClockReport {
        guard let wall = request.time.flatMap({ WallTime(iso8601: $0) }) else {
            throw ControlFailure(
                code: .badRequest,
                message: "time is as in 2026-11-21T07:15:00Z"
            )
        }
        guard wall >= station.builtAt else {
            throw ControlFailure(
                code: .badRequest,
                message: "time is \(wall.iso8601), and this program is of "
                    + "\(station.builtAt.iso8601): that clock is wrong, too"
            )
        }
        let time = ConfirmedTime(wall, at: station.clock.now, by: .browser)
        guard let worth = station.givenTime.give(time, beside: station.clock.wallReading) else {
            throw Self.noStore
        }
        if worth == .news {
            station.recorder.record(
                Event(
                    at: time.at,
                    source: "control",
                    kind: .plain(.clockTrusted),
                    severity: .notice,
                    details: [
                        Event.Detail("time", wall.iso8601),
                        Event.Detail("cause", ClockTrust.browser.name),
                    ] + asker.details
                )
            )
        }
        return report
    }
}
