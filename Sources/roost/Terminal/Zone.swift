import ArgumentParser
import ClientSupport
import Core
import Glibc
import Store
import Synchronization

/// The zone of the times on a terminal: how far it is from UTC at each moment.
///
/// libc answers: it reads `TZ`, `/etc/localtime` and the zone files with every rule in them.
struct Zone: Sendable {
    /// Seconds east of Greenwich at a second since 1970.
    let offset: @Sendable (Int) -> Int

    static let utc = Zone { _ in 0 }

    /// The machine's zone, or the one that `use(named:)` chose.
    static let system = Zone { second in
        var (moment, parts) = (time_t(second), tm())
        return localtime_r(&moment, &parts) == nil ? 0 : parts.tm_gmtoff
    }

    private static let chosen = Mutex(system)

    /// The zone of this command.
    static var current: Zone { chosen.withLock { $0 } }

    /// From now on times are in this zone.
    static func use(_ zone: Zone) { chosen.withLock { $0 = zone } }

    private static let folder = "/usr/share/zoneinfo"

    /// Finds a zone by its name, as `Europe/Berlin`, or an offset, as `+01:00`.
    ///
    /// - Throws: `ValidationError`: there is no such zone. libc itself would silently use UTC.
    static func use(named name: String) throws {
        if let fixed = ZoneArgument(argument: name) {
            return use(Zone { _ in fixed.seconds })
        }
        let isName = !name.isEmpty && !name.hasPrefix("/") && !name.contains("..")
        var status = stat()
        guard isName, stat("\(folder)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG
        else {
            let hint =
                access(folder, F_OK) == 0
                ? "use a name such as Europe/Berlin (`timedatectl list-timezones`) or +01:00"
                : "\(folder) is not installed (package tzdata); use an offset such as +01:00"
            throw ValidationError("there is no zone \(name); \(hint)")
        }
        setenv("TZ", name, 1)
        tzset()
        use(system)
    }

    // MARK: Writing

    /// `2026-11-21T08:15:00+01:00`; `Z` in place of `+00:00`.
    func words(_ wall: WallTime) -> String {
        let (local, offset) = local(wall)
        guard offset != 0 else { return local + "Z" }
        let minutes = abs(offset) / 60
        return local + (offset < 0 ? "-" : "+") + Self.two(minutes / 60) + ":"
            + Self.two(minutes % 60)
    }

    /// `08:15:00`.
    func clockWords(_ wall: WallTime) -> String { String(local(wall).text.suffix(8)) }

    /// A time of a report, which is in UTC, in this zone; as it is when it is no time.
    func words(_ iso8601: String) -> String {
        WallTime(iso8601: iso8601).map { words($0) } ?? iso8601
    }

    private func local(_ wall: WallTime) -> (text: String, offset: Int) {
        let offset = offset(Int(wall.tenths).flooredDivision(by: 10).quotient)
        let moved = wall.nanoseconds.addingReportingOverflow(Int64(offset) * 1_000_000_000)
        let text = WallTime(nanoseconds: moved.partialValue).iso8601
        return (String(text.dropLast()), offset)
    }

    private static func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }

    // MARK: Reading

    /// What a local time can mean.
    struct Moments: Hashable {
        /// The first and the last moment that it can mean; the same for almost all.
        let first: WallTime
        let last: WallTime
        /// Why it does not mean one moment; nil for almost all.
        var oddity: String?
        /// What a range makes of it.
        var inRange = ""
        /// What a person who types it into a range has to know.
        var note: String? { oddity.map { "\($0); \(inRange)" } }
    }

    /// The moments of a time on this zone's clocks.
    ///
    /// When the clocks go back, an hour comes twice; when they go forward, one never comes, and the
    /// moment of the change is meant.
    ///
    /// - Parameters:
    ///   - civil: What a clock shows, as if it were in UTC.
    ///   - text: As it was typed.
    /// - Returns: One moment, or the two that a clock shows alike.
    func moments(_ civil: WallTime, _ text: String) -> Moments {
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
                "\(text) comes twice here, as the clocks go back: \(words(wall(first))) and "
                + "\(words(wall(last)))"
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
            inRange: "\(words(change)) is taken"
        )
    }
}

/// Which zone times are typed and printed in.
struct ZoneOptions: ParsableArguments {
    @Option(
        help: "Zone of the times, as Europe/Berlin or +01:00; the machine's zone by default."
    )
    var zone: String?

    @Flag(help: "Times in UTC.")
    var utc = false

    func validate() throws {
        if zone != nil, utc { throw ValidationError("--zone or --utc, not both") }
        if let zone { try Zone.use(named: zone) }
        if utc { Zone.use(.utc) }
    }
}

/// A moment as people write it: `2026-11-21`, `2026-11-21T07:15`, `2026-11-21T07:15:00`, on the
/// clocks of the zone, or a time with `Z` or `+01:00` wherever they are.
struct TimeArgument: ExpressibleByArgument, Hashable {
    private let text: String
    /// What it is in UTC, or would be if it were meant so.
    private let asUTC: WallTime
    private let isLocal: Bool

    init(_ wall: WallTime) {
        (text, asUTC, isLocal) = (wall.iso8601, wall, false)
    }

    var defaultValueDescription: String { text }

    init?(argument: String) {
        let completed =
            switch argument.utf8.count {
            case 10: argument + "T00:00:00"
            case 16: argument + ":00"
            case _ where Self.hasZoneAfterMinute(argument):
                "\(argument.prefix(16)):00\(argument.dropFirst(16))"
            default: argument
            }
        guard let wall = WallTime(iso8601: completed) else { return nil }
        let zone = completed.utf8.dropFirst(19)
        (text, asUTC) = (argument, wall)
        isLocal = !zone.contains {
            [UInt8(ascii: "Z"), UInt8(ascii: "+"), UInt8(ascii: "-")].contains($0)
        }
    }

    /// Whether it is like `2026-11-21T07:15Z` or `2026-11-21T07:15+01:00`.
    private static func hasZoneAfterMinute(_ text: String) -> Bool {
        text.utf8.dropFirst(16).first.map { "Z+-".utf8.contains($0) } ?? false
    }

    /// What it can mean in a zone.
    func moments(in zone: Zone = .current) -> Zone.Moments {
        isLocal ? zone.moments(asUTC, text) : Zone.Moments(first: asUTC, last: asUTC)
    }

    /// The moment, the first if there are two.
    var wall: WallTime { moments().first }
}

/// From when to when; nil leaves it open.
struct TimeRange: Hashable {
    var from: WallTime?
    var to: WallTime?
}

/// A range in wall time, as it is typed.
struct TimeOptions: ParsableArguments {
    @Option(help: "From when: 2026-11-21 or 2026-11-21T07:15, or with a zone, ...T07:15+01:00.")
    var from: TimeArgument?

    @Option(help: "Until when, not included.")
    var to: TimeArgument?

    @OptionGroup var zone: ZoneOptions

    var range: TimeRange {
        TimeRange(from: from?.moments().first, to: to?.moments().last)
    }

    func validate() throws {
        try zone.validate()
        try Self.check(from, to)
    }

    /// Refuses a range that ends before it begins, and says what a time amid a change means.
    ///
    /// - Throws: `ValidationError`.
    static func check(_ from: TimeArgument?, _ to: TimeArgument?) throws {
        for note in Set([from, to].compactMap { $0?.moments().note }).sorted() {
            Output.error(note)
        }
        if let from, let to, from.moments().first >= to.moments().last {
            throw ValidationError("--from has to be before --to")
        }
    }
}
