import Core

/// Wall time as C's `asctime` and Python's `time.asctime` write it: `Sat Nov  7 08:37:18 2026`.
///
/// Whole seconds, without a zone: an offset has to be agreed on elsewhere.
///
/// - Source: ISO C 2011, 7.27.3.1: `"%.3s %.3s%3d %.2d:%.2d:%.2d %d"`.
package enum AscTime {
    /// The text for the second that `wall` lies in.
    ///
    /// - Parameters:
    ///   - wall: The time; its fraction of a second is cut off.
    ///   - utcOffset: Seconds east of Greenwich of the text.
    /// - Returns: 24 characters for years of four digits.
    package static func text(_ wall: WallTime, utcOffset: Int = 0) -> String {
        let time = CivilTime(secondsSince1970: Int(wall.tenths / 10) + utcOffset)
        let day = time.date.day < 10 ? " \(time.date.day)" : "\(time.date.day)"
        let (weekday, month) = (time.weekday, time.date.month)
        return "\(CivilTime.weekdays[weekday]) \(CivilTime.months[month - 1]) \(day) "
            + "\(time.clockWords) \(time.date.year)"
    }

    /// Reads what `text` writes; nil when it is anything else.
    ///
    /// The weekday has to be one, and the right one: a wrong one means that the row is damaged.
    package static func parse(_ text: some StringProtocol, utcOffset: Int = 0) -> WallTime? {
        let words = text.split(separator: " ", maxSplits: 8)
        guard words.count == 5,
            let weekday = CivilTime.weekdays.firstIndex(of: String(words[0])),
            let month = CivilTime.months.firstIndex(of: String(words[1])),
            let day = CivilTime.number(words[2], digits: 1...2),
            let secondOfDay = CivilTime.secondOfDay(words[3]),
            let year = CivilTime.number(words[4], digits: 4...4),
            let days = CivilDate.days(year: year, month: month + 1, day: day)
        else { return nil }
        let seconds = days * 86_400 + secondOfDay
        guard CivilTime(secondsSince1970: seconds).weekday == weekday else { return nil }
        return WallTime(seconds: seconds - utcOffset)
    }
}
