import ArgumentParser
import ClientSupport
import Core
import Glibc
import StoreQueries
import Synchronization

/// The zone that a command types and prints times in.
extension Zone {
    private static let chosen = Mutex(system)

    /// The zone of this command.
    static var current: Zone { chosen.withLock { $0 } }

    /// Makes this the zone of all times from now on.
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
}

/// Options for the zone in which times are typed and printed.
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
    /// The time as if it were typed in UTC.
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

    /// Returns the moments that it can mean in a zone.
    func moments(in zone: Zone = .current) -> Zone.Moments {
        isLocal ? zone.moments(asUTC, text) : Zone.Moments(first: asUTC, last: asUTC)
    }

    /// The moment, the first if there are two.
    var wall: WallTime { moments().first }
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
