import Core
import Glibc

/// The zone of the times on a terminal: how far it is from UTC at each moment.
///
/// libc answers: it reads `TZ`, `/etc/localtime` and the zone files with every rule in them.
package struct Zone: Sendable {
    /// Seconds east of Greenwich at a second since 1970.
    package let offset: @Sendable (Int) -> Int

    package init(offset: @escaping @Sendable (Int) -> Int) { self.offset = offset }

    package static let utc = Zone { _ in 0 }

    /// The machine's zone, or the one that `use(named:)` chose.
    package static let system = Zone { second in
        var (moment, parts) = (time_t(second), tm())
        return localtime_r(&moment, &parts) == nil ? 0 : parts.tm_gmtoff
    }

    // MARK: Writing

    /// `2026-11-21T08:15:00+01:00`; `Z` in place of `+00:00`.
    package func text(_ wall: WallTime) -> String {
        let (local, offset) = local(wall)
        guard offset != 0 else { return local + "Z" }
        let minutes = abs(offset) / 60
        return local + (offset < 0 ? "-" : "+") + CivilTime.two(minutes / 60) + ":"
            + CivilTime.two(minutes % 60)
    }

    /// `08:15:00`.
    package func clockWords(_ wall: WallTime) -> String { String(local(wall).text.suffix(8)) }

    /// A time of a report, which is in UTC, in this zone; as it is when it is no time.
    package func text(_ iso8601: String) -> String {
        WallTime(iso8601: iso8601).map { text($0) } ?? iso8601
    }

    private func local(_ wall: WallTime) -> (text: String, offset: Int) {
        let offset = offset(Int(wall.tenths).flooredDivision(by: 10).quotient)
        let moved = wall.nanoseconds.addingReportingOverflow(Int64(offset) * 1_000_000_000)
        let text = WallTime(nanoseconds: moved.partialValue).iso8601
        return (String(text.dropLast()), offset)
    }

    // MARK: Reading

    /// The moments that a local time can mean.
    package struct Moments: Hashable, Sendable {
        /// The first and the last moment that it can mean; the same for almost all.
        package let first: WallTime
        package let last: WallTime
        /// Why it does not mean one moment; nil for almost all.
        package var oddity: String?
        /// How a range reads this time.
        var inRange: String

        package init(
            first: WallTime,
            last: WallTime,
            oddity: String? = nil,
            inRange: String = ""
        ) {
            (self.first, self.last) = (first, last)
            (self.oddity, self.inRange) = (oddity, inRange)
        }

        /// A remark for the person who types this time into a range; nil for almost all.
        package var note: String? { oddity.map { "\($0); \(inRange)" } }
    }

    /// The moments of a time on this zone's clocks.
    ///
    /// When the clocks go back, an hour comes twice; when they go forward, one never comes, and the
    /// moment of the change is meant.
    ///
    /// - Parameters:
    ///   - civil: What a clock shows, as if it were in UTC.
    /// - Returns: One moment, or the two that a clock shows alike.
    package func moments(_ civil: WallTime, _ text: String) -> Moments {
        let (second, rest) = Int(civil.tenths).flooredDivision(by: 10)
        let day = 86_400
        let offsets = [offset(second - day), offset(second + day)]
        let found = Set(offsets.map { second - $0 }.filter { $0 + offset($0) == second }).sorted()
        func wall(_ second: Int) -> WallTime {
            WallTime(tenths: Int64(second) * 10 + Int64(rest))
        }
        if let first = found.first, let last = found.last {
            let moments = Moments(first: wall(first), last: wall(last))
            guard first != last else { return moments }
            let oddity =
                "\(text) comes twice here, as the clocks go back: \(self.text(wall(first))) and "
                + "\(self.text(wall(last)))"
            return Moments(
                first: moments.first,
                last: moments.last,
                oddity: oddity,
                inRange: "a range holds both unless you type one of these"
            )
        }
        // The first second after the change, found by halving.
        var (low, high) = (second - (offsets.max() ?? 0), second - (offsets.min() ?? 0))
        let after = offset(high)
        while low < high {
            let middle = low + (high - low) / 2
            if offset(middle) == after { high = middle } else { low = middle + 1 }
        }
        let change = WallTime(seconds: high)
        return Moments(
            first: change,
            last: change,
            oddity: "there is no \(text) here, as the clocks go forward",
            inRange: "\(self.text(change)) is taken"
        )
    }
}
