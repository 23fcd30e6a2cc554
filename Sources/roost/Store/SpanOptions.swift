import ArgumentParser
import ClientSupport
import ControlProtocol
import Core
import Store
import StoreQueries

/// From when to when, as every command of the past has it.
struct SpanOptions: ParsableArguments {
    @OptionGroup var time: TimeOptions

    @Option(help: "How far back from now: 90s, 15m, 2h, 14d.")
    var last: DurationArgument?

    /// Whether nothing was said.
    var isOpen: Bool { last == nil && time.range == TimeRange() }

    func validate() throws {
        if last != nil, time.from != nil { throw ValidationError("--last or --from, not both") }
    }

    /// The window of a store; `standard` counts when nothing is said.
    func window(_ source: StoreSource, standard: Duration? = nil) throws -> StoreWindow {
        let times = try StoreTimes(source.reader, now: source.now)
        return StoreWindow(
            times: times,
            range: time.range,
            last: last?.duration ?? (isOpen ? standard : nil),
            now: source.now ?? times.end
        )
    }

    /// The range on the calendar; `standard` counts back from now when no beginning is said.
    func range(
        _ source: StoreSource,
        _ times: StoreTimes,
        standard: Duration? = nil
    ) throws -> TimeRange {
        var range = time.range
        // An end without a beginning means all time before it.
        guard range.from == nil,
            let length = last?.duration ?? (range.to == nil ? standard : nil)
        else { return range }
        let present = try StoreExtent.present(source.reader, times, now: source.now)
        guard let end = range.to ?? present else { return range }
        // The newest value of a card is the present there, and in it.
        let to = range.to ?? WallTime(tenths: end.tenths + 10)
        range.to = to
        range.from = WallTime(tenths: to.tenths - length.wholeNanoseconds / 100_000_000)
        return range
    }
}

/// From when to when, and of which channel.
struct ChannelOptions: ParsableArguments {
    @OptionGroup var span: SpanOptions

    @Option(help: "As balcony/pm25; default: all channels.")
    var channel: String?

    /// Where the wanted channel is among those of each stream; nil for all of all streams.
    ///
    /// - Throws: `ClientFailure` for a channel that the history has not.
    func places(_ reader: HistoryReader) throws -> [StreamID: [Int]]? {
        guard let channel else { return nil }
        let streams = try reader.streams()
        var places: [StreamID: [Int]] = [:]
        for stream in streams {
            let found = stream.channels.indices.filter { "\(stream.channels[$0])" == channel }
            if !found.isEmpty { places[stream.id] = found }
        }
        guard !places.isEmpty else {
            throw ClientFailure(message: StoreText.noChannel(channel, streams), exitCode: 1)
        }
        return places
    }
}

/// How many at most.
struct LimitOptions: ParsableArguments {
    @Option(help: "At most this many, the newest: 1…10000.")
    var limit: Int?

    func validate() throws {
        if let limit, !(1...10_000).contains(limit) {
            throw ValidationError("--limit is 1 to 10000, not \(limit)")
        }
    }
}
