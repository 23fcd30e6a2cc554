import ArgumentParser
import ClientSupport
import ControlProtocol
import Core
import Store
import StoreQueries

/// How far back and how many.
struct SpanOptions: ParsableArguments {
    @OptionGroup var time: TimeOptions

    @Option(help: "How far back from now: 90s, 15m, 2h.")
    var last: DurationArgument?

    @Option(help: "At most this many, the newest: 1…10000.")
    var limit: Int?

    var range: TimeRange { time.range }

    func validate() throws {
        if let limit, !(1...10_000).contains(limit) {
            throw ValidationError("--limit is 1 to 10000, not \(limit)")
        }
        if last != nil, time.from != nil { throw ValidationError("--last or --from, not both") }
    }

    /// The window of a store; `standard` counts when nothing is said at all.
    func window(_ source: StoreSource, standard: Duration?) throws -> StoreWindow {
        let isOpen = range == TimeRange() && limit == nil
        let times = try StoreTimes(source.reader, now: source.now)
        return StoreWindow(
            times: times,
            range: range,
            last: last?.duration ?? (isOpen ? standard : nil),
            now: source.now ?? times.end
        )
    }
}
