import ControlProtocol
import Core
import HardwareIO
import Store

/// Answers questions about the clock, and knows the time of other answers.
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
    ///
    /// - Parameter text: The time, ISO 8601; nil uses the system clock.
    /// - Throws: `ControlFailure` `store`.
    func trust(_ text: String?, by asker: ControlAsker) throws(ControlFailure) -> ClockReport {
        guard let wall = text.map({ WallTime(iso8601: $0) }) ?? station.clock.wallReading?.wall
        else {
            throw ControlFailure(
                code: .store,
                message: "the system clock was never set; say what time it is with --at"
            )
        }
        let time = ConfirmedTime(wall, at: station.clock.now, by: .person)
        guard station.givenTime.give(time, beside: station.clock.wallReading) != nil else {
            throw Self.noStore
        }
        station.recorder.record(
            Event(
                at: station.clock.now,
                source: "control",
                kind: .plain(.clockTrusted),
                severity: .notice,
                details: [Event.Detail("time", wall.iso8601)] + asker.details
            )
        )
        return report
    }

    private static let noStore = ControlFailure(
        code: .store,
        message: "no store is open that could remember it; see `roost status`"
    )

    /// Uses the time that stations nearby agree on while nothing better is known.
    func hear(_ times: [NeighbourTime]) -> ClockReport {
        station.hear(times)
        return report
    }

    /// Uses the time of an owner's browser while nothing better is known, and records who gave it.
    ///
    /// - Throws: `ControlFailure` `bad-request`, `store`.
    func accept(_ offer: OfferTime, by asker: ControlAsker) throws(ControlFailure) -> ClockReport {
        guard let wall = WallTime(iso8601: offer.time) else { throw OfferTime.noTime }
        guard wall >= station.builtAt else {
            throw .badRequest(
                "time is \(wall.iso8601), and this program is of "
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
