import Core
import Store

/// A dust sensor's history as four folders of files, each of so many minutes from the first sample
/// on.
///
/// A file has the name of its first pair's time on the station's clocks, as C's `asctime` writes
/// it; the second of two with one name gets ` 2`. A window whose beginning the history no longer
/// has is left out, so that no name ever changes.
package struct PeriodFiles: Sendable {
    package enum Period: String, Codable, CaseIterable, Sendable {
        case hourly, daily, weekly, monthly

        /// Minutes in a file.
        package var minutes: Int {
            switch self {
            case .hourly: 60
            case .daily: 1_440
            case .weekly: 10_080
            case .monthly: 43_800
            }
        }
    }

    package struct File: Hashable, Sendable {
        /// `Sun Nov  6 07:49:04 2022.csv`.
        package let name: String
        /// Time of its first pair.
        package let first: WallTime
        /// Seconds since 1970 in which it has its place; the second not any more.
        package let range: Range<Int>
        /// Whether all of its time has passed.
        package let isComplete: Bool
    }

    package let pairs: MinutePairs
    /// Where the first window begins, seconds since 1970.
    package let origin: Int
    /// The end of the last whole minute.
    package let end: Int
    /// The first pair of each hourly window, oldest first.
    package let hours: [MinutePairs.First]
    private let zone: Zone

    /// The files as the history is.
    ///
    /// - Parameters:
    ///   - origin: The first sample that ever was.
    ///   - now: Seconds since 1970.
    ///   - known: Hourly windows that were found before, all before the last whole hour then.
    package init(
        _ reader: HistoryReader,
        _ pairs: MinutePairs,
        origin: Int,
        now: Int,
        in zone: Zone,
        known: [MinutePairs.First] = []
    ) throws(StoreError) {
        (self.pairs, self.origin, self.zone) = (pairs, origin, zone)
        end = origin + (now - origin).flooredDivision(by: 60).quotient * 60
        let oldest = pairs.extent.lowerBound
        let start = (oldest - origin).flooredDivision(by: 3_600)
        // An hour whose beginning the ring has overwritten is not a file any more.
        let first = start.remainder > 0 ? start.quotient + 1 : start.quotient
        let kept = known.filter { $0.window >= first }
        let next = kept.last.map { $0.window + 1 } ?? first
        let found = try pairs.firsts(
            reader,
            origin: origin,
            every: 3_600,
            from: origin + next * 3_600,
            to: end
        )
        hours = kept + found
    }

    /// Hourly windows that will never change.
    package var completeHours: [MinutePairs.First] {
        hours.filter { origin + ($0.window + 1) * 3_600 <= end }
    }

    /// Lists all files of a folder, oldest first.
    package func files(_ period: Period) -> [File] {
        let length = period.minutes * 60
        let oldest = pairs.extent.lowerBound
        var files: [File] = []
        var (place, lastName, sameCount) = (Int?.none, "", 0)
        for hour in hours {
            let window = (hour.window * 3_600).flooredDivision(by: length).quotient
            let from = origin + window * length
            guard window != place, from >= oldest else { continue }
            place = window
            let words = AscTime.text(hour.wall, utcOffset: zone.offset(hour.wall.wholeSeconds))
            sameCount = words == lastName ? sameCount + 1 : 1
            lastName = words
            files.append(
                File(
                    name: sameCount == 1 ? words + ".csv" : "\(words) \(sameCount).csv",
                    first: hour.wall,
                    range: from..<(from + length),
                    isComplete: from + length <= end
                )
            )
        }
        return files
    }

    /// The rows of a time, as the files have them.
    ///
    /// - Parameters:
    ///   - range: Seconds since 1970, whole minutes from the origin.
    /// - Returns: `PM2.5,<value>,<time>` and `PM10,…` for each minute, with CRLF.
    package func rows(_ range: Range<Int>, _ reader: HistoryReader) throws(StoreError) -> [UInt8] {
        var bytes: [UInt8] = []
        try each(range, reader) { pair in
            let time = time(of: pair.wall)
            for (name, value) in [("PM2.5", pair.pm25), ("PM10", pair.pm10)] {
                let words = CSVWriter.pythonWords(value.doubleValue)
                bytes += Array("\(name),\(words),\(time)\r\n".utf8)
            }
        }
        return bytes
    }

    /// The pairs of a time up to the last whole minute.
    package func each(
        _ range: Range<Int>,
        _ reader: HistoryReader,
        _ body: (MinutePairs.Pair) -> Void
    ) throws(StoreError) {
        let to = min(range.upperBound, end)
        try pairs.each(reader, origin: origin, from: range.lowerBound, to: to, body)
    }

    /// A time as the rows have it.
    package func time(of wall: WallTime) -> String {
        AscTime.text(wall, utcOffset: zone.offset(wall.wholeSeconds))
    }
}
