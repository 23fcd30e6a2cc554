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
        let wall = wallSeconds - (bootSeconds - instantSeconds)
        let (day, second) = split(wall)
        let today = split(wallSeconds).day
        let time = Self.time(second)
        guard day != today else { return time }
        let date = CivilDate(daysSince1970: day)
        return "\(Self.two(date.month))-\(Self.two(date.day)) \(time)"
    }

    /// `14:32:07` now; with a `?` while the station does not believe that clock.
    var time: String { clock(at: bootSeconds) + (isSure ? "" : "?") }

    /// `2026-11-22 14:32:07` now.
    var date: String {
        let date = CivilDate(daysSince1970: split(wallSeconds).day)
        return "\(date.year)-\(Self.two(date.month))-\(Self.two(date.day)) "
            + time
    }

    private func split(_ wall: Double) -> (day: Int, second: Int) {
        let second = Int(wall.rounded(.down))
        let (day, rest) = (second + zone.offset(second)).flooredDivision(by: 86_400)
        return (day, rest)
    }

    private static func time(_ second: Int) -> String {
        [second / 3_600, second / 60 % 60, second % 60].map(two).joined(separator: ":")
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
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
                + event.details.line
        )
    }
}
