/// A day of the proleptic Gregorian calendar.
package struct CivilDate: Hashable, Sendable {
    package let year: Int
    package let month: Int
    package let day: Int

    /// The date `days` after 1970-01-01, by counting in 400-year eras of 146 097 days from 1 March.
    package init(daysSince1970 days: Int) {
        let (era, dayOfEra) = (days + 719_468).flooredDivision(by: 146_097)
        let leapDays = dayOfEra / 1_460 - dayOfEra / 36_524 + dayOfEra / 146_096
        let yearOfEra = (dayOfEra - leapDays) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Days from 1970-01-01 to the first of a month.
    ///
    /// Counted in 400-year eras of 146 097 days from 1 March, the inverse of `init`.
    package static func firstDay(of month: Int, in year: Int) -> Int {
        let marchYear = month > 2 ? year : year - 1
        let (era, yearOfEra) = marchYear.flooredDivision(by: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// Days from 1970-01-01 to a date of the years 1677…2262 (what fits `WallTime`), or nil.
    package static func days(year: Int, month: Int, day: Int) -> Int? {
        guard (1_678...2_261).contains(year), (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        let days = firstDay(of: month, in: year) + day - 1
        let date = CivilDate(daysSince1970: days)
        return date.month == month && date.day == day ? days : nil  // No 30 February.
    }
}

/// A second of the proleptic Gregorian calendar, of no zone in particular.
package struct CivilTime: Hashable, Sendable {
    /// Three letters each, from Sunday on.
    package static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    package static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    package let date: CivilDate
    /// 0 ..< 86 400; there are no leap seconds.
    package let secondOfDay: Int
    /// 0 is Sunday.
    package let weekday: Int

    package init(secondsSince1970 seconds: Int) {
        let (days, second) = seconds.flooredDivision(by: 86_400)
        date = CivilDate(daysSince1970: days)
        secondOfDay = second
        weekday = (days + 4).flooredDivision(by: 7).remainder  // 1970-01-01 was a Thursday.
    }

    /// `08:37:18`.
    package var clockWords: String {
        [secondOfDay / 3_600, secondOfDay / 60 % 60, secondOfDay % 60]
            .map(Self.two).joined(separator: ":")
    }

    /// `2026-11-07`.
    package var dateWords: String {
        let year = String(date.year)
        let zeros = String(repeating: "0", count: max(0, 4 - year.utf8.count))
        return "\(zeros)\(year)-\(Self.two(date.month))-\(Self.two(date.day))"
    }

    /// A number from 0 to 99 in two digits.
    package static func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }

    /// Seconds since midnight in `08:37:18`, or nil; 60 is no second here.
    package static func secondOfDay(_ text: some StringProtocol) -> Int? {
        let parts = text.split(separator: ":", maxSplits: 3, omittingEmptySubsequences: false)
            .map { number($0, digits: 2...2) }
        guard parts.count == 3, let hour = parts[0], let minute = parts[1], let second = parts[2],
            hour < 24, minute < 60, second < 60
        else { return nil }
        return hour * 3_600 + minute * 60 + second
    }

    /// ASCII digits alone, as many as allowed, nine at most; nil for anything else.
    package static func number(_ text: some StringProtocol, digits: ClosedRange<Int>) -> Int? {
        guard digits.contains(text.utf8.count), text.utf8.count <= 9 else { return nil }
        var value = 0
        for byte in text.utf8 {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            value = value * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return value
    }
}

extension WallTime {
    /// ISO 8601 in UTC, whole seconds: `2026-11-21T07:15:00Z`.
    package var iso8601: String {
        let time = CivilTime(secondsSince1970: Int(nanoseconds / 1_000_000_000))
        return "\(time.dateWords)T\(time.clockWords)Z"
    }

    /// Tenths of a second since 1970, rounded down.
    package var tenths: Int64 {
        let (quotient, remainder) = nanoseconds.quotientAndRemainder(dividingBy: 100_000_000)
        return remainder < 0 ? quotient - 1 : quotient
    }

    /// Saturates at the years 1677 and 2262.
    package init(tenths: Int64) {
        let (scaled, overflow) = tenths.multipliedReportingOverflow(by: 100_000_000)
        self.init(nanoseconds: overflow ? (tenths < 0 ? .min : .max) : scaled)
    }

    /// Saturates at the years 1677 and 2262.
    package init(seconds: Int) {
        let (scaled, overflow) = Int64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        self.init(nanoseconds: overflow ? (seconds < 0 ? .min : .max) : scaled)
    }

    /// ISO 8601 in UTC with tenths, rounded down: `2026-11-21T07:15:00.3Z`.
    package var iso8601Tenths: String {
        let (seconds, tenth) = Int(tenths).flooredDivision(by: 10)
        let time = CivilTime(secondsSince1970: seconds)
        return "\(time.dateWords)T\(time.clockWords).\(tenth)Z"
    }

    /// Reads ISO 8601 with or without fraction and zone: `2017-09-02T00:00:49.25+02:00`.
    ///
    /// Without a zone it is UTC, as the day files of Sensor.Community are. `T` may be a space.
    /// At most nine digits of fraction count; 18 are read.
    package init?(iso8601 text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard (19...44).contains(bytes.count), [UInt8(ascii: "T"), 32].contains(bytes[10]) else {
            return nil
        }
        let date = String(decoding: bytes[..<10], as: UTF8.self)
            .split(separator: "-", maxSplits: 3, omittingEmptySubsequences: false)
        let clock = String(decoding: bytes[11..<19], as: UTF8.self)
        guard date.count == 3, let year = CivilTime.number(date[0], digits: 4...4),
            let month = CivilTime.number(date[1], digits: 2...2),
            let day = CivilTime.number(date[2], digits: 2...2),
            let days = CivilDate.days(year: year, month: month, day: day),
            let second = CivilTime.secondOfDay(clock)
        else { return nil }
        var rest = bytes[19...]
        guard let fraction = Self.takeFraction(&rest), let offset = Self.zoneOffset(rest) else {
            return nil
        }
        let whole = Int64(days * 86_400 + second - offset)
        let (scaled, overflow) = whole.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, carry) = scaled.addingReportingOverflow(fraction)
        guard !overflow, !carry else { return nil }
        self.init(nanoseconds: sum)
    }

    /// Reads `.25` from the front; nanoseconds, 0 when there is none, nil when it has no digits.
    private static func takeFraction(_ rest: inout ArraySlice<UInt8>) -> Int64? {
        guard rest.first == UInt8(ascii: ".") else { return 0 }
        rest.removeFirst()
        let isDigit = { (byte: UInt8) in (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
        let digits = rest.prefix(while: isDigit)
        guard (1...18).contains(digits.count) else { return nil }
        rest.removeFirst(digits.count)
        let padded = digits.prefix(9) + Array(repeating: UInt8(ascii: "0"), count: 9)
        return padded.prefix(9).reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }

    /// Seconds in ``, `Z`, `+02:00`, `+0200` or `+02`; nil for anything else.
    private static func zoneOffset(_ rest: ArraySlice<UInt8>) -> Int? {
        guard let sign = rest.first, rest != [UInt8(ascii: "Z")] else { return 0 }
        guard [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(sign) else { return nil }
        let text = String(decoding: rest.dropFirst(), as: UTF8.self)
        let digits =
            text.utf8.count == 5 && text.dropFirst(2).first == ":"
            ? String(text.prefix(2) + text.suffix(2)) : text
        guard [2, 4].contains(digits.utf8.count),
            let number = CivilTime.number(digits, digits: 2...4)
        else { return nil }
        let (hours, minutes) = digits.utf8.count == 2 ? (number, 0) : (number / 100, number % 100)
        guard hours <= 18, minutes < 60 else { return nil }
        let seconds = hours * 3_600 + minutes * 60
        return sign == UInt8(ascii: "-") ? -seconds : seconds
    }
}
