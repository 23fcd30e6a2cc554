import ClientSupport
import ControlProtocol
import Core
import StoreQueries

/// When a screen is drawn, by the clocks that it shows.
struct ScreenTime {
    /// Seconds since the boot of the machine that station and screen share.
    let bootSeconds: Double
    /// Seconds since 1970 by the machine's clock, or by the station's where a person set that.
    var wallSeconds: Double
    /// Zone of the clocks shown; times before a change of the clocks have the offset of then.
    let zone: Zone
    /// Whether the station believes the clock.
    var isSure = true

    /// `14:32:07` of something so many seconds after the boot; with its date on another day.
    func clock(at instantSeconds: Double) -> String {
        let then = local(wallSeconds - (bootSeconds - instantSeconds))
        guard then.date != local(wallSeconds).date else { return then.clockWords }
        return "\(then.dateWords.dropFirst(5)) \(then.clockWords)"
    }

    /// `14:32:07` now; with a `?` while the station does not believe that clock.
    var time: String { clock(at: bootSeconds) + (isSure ? "" : "?") }

    /// `2026-11-22 14:32:07` now.
    var date: String { "\(local(wallSeconds).dateWords) \(time)" }

    private func local(_ wall: Double) -> CivilTime {
        let second = Int(wall.rounded(.down))
        return CivilTime(secondsSince1970: second + zone.offset(second))
    }
}

extension ScreenTime {
    /// Returns one reading as a line of a log.
    func text(_ reading: ReadingReport) -> String {
        let value = reading.measured.map { "\($0.description.aligned(to: 7)) \(reading.unit)" }
        return "\(clock(at: reading.instantSeconds))  \(reading.channel.padded(to: 18)) "
            + (value ?? "no data: \(reading.noData ?? "")")
    }

    /// Returns one event as a line of a log.
    func text(_ event: EventReport, _ paint: Paint) -> String {
        paint.severity(
            event.severity,
            "\(clock(at: event.instantSeconds))  \(event.source.padded(to: 18)) \(event.kind) "
                + FactText.line(event.details)
        )
    }
}
