import ArgumentParser
import Core
import Glibc

/// An offset from Greenwich: `+01:00`, `-05:30`, `Z`.
struct ZoneArgument: ExpressibleByArgument, Hashable {
    let seconds: Int

    init(seconds: Int) { self.seconds = seconds }

    init?(argument: String) {
        // The parser of times reads the offset too: it is the difference to the same time in UTC.
        let moment = "2000-01-01T00:00:00"
        guard !argument.isEmpty, !argument.hasPrefix("."),
            let base = WallTime(iso8601: moment), let moved = WallTime(iso8601: moment + argument)
        else { return nil }
        seconds = Int((base.nanoseconds - moved.nanoseconds) / 1_000_000_000)
    }

    var defaultValueDescription: String { "Z" }
}
