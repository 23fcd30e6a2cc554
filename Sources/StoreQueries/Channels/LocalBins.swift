import Core

/// A length of time on a zone's clocks.
package enum LocalUnit: String, CaseIterable, Codable, Sendable {
    case hour, day, week, month, year
}

/// Whole hours, days, weeks, months or years on a zone's clocks, one after the other, no hole.
///
/// A day on which the clocks change has 23 or 25 hours.
package struct LocalBins: Sendable {
    package struct Bin: Hashable, Sendable {
        /// Seconds since 1970.
        package let from: Int
        /// End of the bin, exclusive.
        package let to: Int
        /// `2026-04-14`, `2026-W16`, `2026-04`, `2026`; of an hour its beginning with the zone's
        /// offset.
        package let label: String

        package init(from: Int, to: Int, label: String) {
            (self.from, self.to, self.label) = (from, to, label)
        }
    }

    /// Bins of one answer: a year of hours, or 24 years of days.
    package static let countMax = 8_784

    package let bins: [Bin]

    /// Creates all bins that a range of time touches.
    ///
    /// - Parameters:
    ///   - from: Seconds since 1970.
    package init(by unit: LocalUnit, in zone: Zone, from: Int, to: Int) {
        var bins: [Bin] = []
        var start = Self.start(of: unit, zone, around: from)
        while start < to, bins.count < Self.countMax {
            let end = Self.next(unit, zone, after: start)
            bins.append(Bin(from: start, to: end, label: Self.label(unit, zone, start)))
            start = end
        }
        self.bins = bins
    }

    /// Creates a single bin, of any length.
    package init(_ bin: Bin) { bins = [bin] }

    /// The place of the bin that a second is in; nil outside.
    package func place(of second: Int) -> Int? {
        guard let last = bins.last, second < last.to, second >= bins[0].from else { return nil }
        var (low, high) = (0, bins.count)  // The first that begins later is in low...high.
        while low < high {
            let middle = (low + high) / 2
            if bins[middle].from <= second { low = middle + 1 } else { high = middle }
        }
        return low - 1
    }

    private static func start(of unit: LocalUnit, _ zone: Zone, around second: Int) -> Int {
        guard unit != .hour else {
            return second - (second + zone.offset(second)).flooredDivision(by: 3_600).remainder
        }
        return midnight(zone, first(unit, days(zone, second)))
    }

    private static func next(_ unit: LocalUnit, _ zone: Zone, after start: Int) -> Int {
        if unit == .hour {
            let end = start + 3_600
            let late = (end + zone.offset(end)).flooredDivision(by: 3_600).remainder
            return late == 0 ? end : end + 3_600 - late
        }
        // Noon is in the same day whatever the clocks do around midnight.
        let here = days(zone, start + 43_200)
        switch unit {
        case .hour, .day: return midnight(zone, here + 1)
        case .week: return midnight(zone, here + 7)
        case .month: return midnight(zone, first(.month, here + 31))
        case .year: return midnight(zone, first(.year, here + 366))
        }
    }

    /// Days from 1970-01-01 to the date that the zone's clocks show.
    private static func days(_ zone: Zone, _ second: Int) -> Int {
        (second + zone.offset(second)).flooredDivision(by: 86_400).quotient
    }

    /// The first day of the week, from Monday on, month or year that a day is in.
    private static func first(_ unit: LocalUnit, _ days: Int) -> Int {
        // 1970-01-01 was a Thursday.
        if unit == .week { return days - (days + 3).flooredDivision(by: 7).remainder }
        let date = CivilDate(daysSince1970: days)
        guard unit != .day else { return days }
        let month = days - date.day + 1
        guard unit == .year, date.month > 1 else { return month }
        return first(.year, month - 1)
    }

    /// The first second of a date; where the clocks skip it, that of the change.
    private static func midnight(_ zone: Zone, _ days: Int) -> Int {
        let civil = WallTime(nanoseconds: Int64(days) * 86_400_000_000_000)
        return Int(zone.moments(civil, "").first.nanoseconds / 1_000_000_000)
    }

    private static func label(_ unit: LocalUnit, _ zone: Zone, _ start: Int) -> String {
        guard unit != .hour else {
            return zone.text(WallTime(nanoseconds: Int64(start) * 1_000_000_000))
        }
        let day = days(zone, start + 43_200)
        if unit == .week { return week(day) }
        let noon = WallTime(nanoseconds: Int64(day) * 86_400_000_000_000)
        let length = [LocalUnit.day: 10, .month: 7, .year: 4][unit] ?? 10
        return String(noon.iso8601.prefix(length))
    }

    /// Names a week, such as `2026-W16`: it belongs to the year that its Thursday is in.
    ///
    /// - Source: ISO 8601-1:2019, 4.2.2.
    private static func week(_ monday: Int) -> String {
        let thursday = monday + 3
        let number = (thursday - first(.year, thursday)) / 7 + 1
        let digits = number < 10 ? "0\(number)" : "\(number)"
        return "\(CivilDate(daysSince1970: thursday).year)-W\(digits)"
    }
}
