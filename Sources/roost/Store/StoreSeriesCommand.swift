import ArgumentParser
import ClientSupport
import ControlProtocol
import Core
import Store
import StoreQueries

struct StoreSeriesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "series",
        abstract: "A channel over any time in a few hundred steps: least, mean and most of each.",
        discussion: """
            From the finest rollup that is coarse enough, so a year needs no longer than a day. \
            What the running station has not put into the history yet is in it too. Steps are \
            whole minutes, quarter hours or six hours where that is finer than a step.

            Examples: roost store series --channel balcony/pm25 --points 500
                      roost store series /mnt/card/store --from 2026-11-01 --json
            """
    )
    @OptionGroup var folder: FolderOptions

    @Option(help: "The station's control socket (or the environment variable ROOST_SOCKET).")
    var socket: String?

    @Option(help: "As balcony/pm25; default: the first channel.")
    var channel: String?

    @Option(help: "Steps at most.")
    var points = 24

    @OptionGroup var time: TimeOptions

    @Flag(help: "Print a JSON object a step instead of a table.")
    var json = false

    func validate() throws {
        guard (1...HistoryPoint.countMax).contains(points) else {
            throw ValidationError("--points is 1 to \(HistoryPoint.countMax), not \(points)")
        }
    }

    func run() throws {
        let source = try StoreSource(folder: folder.named, socket: socket)
        try withStore(source.folder) {
            let reader = source.reader
            let channel = try chosen(reader)
            let times = try StoreTimes(reader)
            try StoreText.reportDoubts(false, StoreWindow(times: times, range: time.range), reader)
            let series = try ChannelSeries(channel, reader, times, time.range, points: points)
            let steps = series.steps.map { StoreSeriesStep($0, channel.decimals) }
            if json {
                for step in steps { Output.line(try ControlCodec.line(step)) }
            } else {
                Output.line("\(channel.name) in \(channel.quantity.unit)")
                Output.line(StoreSeriesStep.header)
                for step in steps { Output.line(step.line) }
            }
        }
    }

    private func chosen(_ reader: HistoryReader) throws -> StoreChannel {
        let all = try StoreChannel.all(reader)
        if let found = all.first(where: { channel == nil || channel == $0.name }) { return found }
        throw ClientFailure(
            message: StoreText.noChannel(channel, try reader.streams()),
            exitCode: 1
        )
    }
}

/// One step of a series.
struct StoreSeriesStep: Codable, Hashable {
    /// When it begins, ISO 8601 in UTC; nil while nothing dates it.
    let time: String?
    /// Whether a trusted clock stands behind the time; nil without one.
    let isSure: Bool?
    let seconds: Double
    /// Values in it; 0 leaves the others out.
    let count: Int64
    let least: Double?
    let mean: Double?
    let most: Double?
    /// Values that no part can give, in none of the others.
    let omitted: Int64
    let gapSeconds: Double

    init(_ step: ChannelSeries.Step, _ decimals: Int) {
        (time, isSure) = (step.time?.wall.iso8601, step.time?.isSure)
        let point = step.point
        let bucket = point.bucket
        let scale = (0..<decimals).reduce(1.0) { scale, _ in scale * 10 }
        seconds = Double(point.width) / 10
        (count, omitted) = (bucket.count, bucket.omitted)
        least = bucket.count > 0 ? Double(bucket.minimum) / scale : nil
        mean = bucket.mean.map { $0 / scale }
        most = bucket.count > 0 ? Double(bucket.maximum) / scale : nil
        gapSeconds = Double(max(0, step.inside - bucket.covered)) / 10
    }

    static let header =
        "time".column(27) + "least".aligned(to: 9) + "mean".aligned(to: 9)
        + "most".aligned(to: 9) + "values".aligned(to: 10) + "  gap"

    var line: String {
        func cell(_ value: Double?) -> String {
            (value.map(StoreText.rounded) ?? "-").aligned(to: 9)
        }
        return DatedTime(time: time, isSure: isSure).text.column(27) + cell(least) + cell(mean)
            + cell(most)
            + "\(count)".aligned(to: 10) + "  "
            + (gapSeconds > 0 ? durationText(seconds: gapSeconds) : "none")
            + (omitted > 0 ? ", \(omitted) that cannot be left out" : "")
    }
}
