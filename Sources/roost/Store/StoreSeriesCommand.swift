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
            From the finest rollup that is coarse enough, so a year needs no longer than a day.
            What the running station has not put into the history yet is in it too. Steps are
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
            let (stream, index) = try chosen(try reader.streams())
            let times = try StoreTimes(reader)
            let window = StoreWindow(times: times, range: time.range)
            try StoreText.tellDoubts(false, window, reader)
            let axis = HistoryAxis(
                ImportedBoot.ordered(
                    times.clip(try StreamExtents(reader).spans(of: stream.id), time.range)
                ),
                points: points
            )
            let spans = axis.spans
            let found = try HistorySeries(reader).points(stream.id, channel: index, along: axis)
            let decimals = stream.quantities[index].decimals
            let steps = found.map { point in
                StoreSeriesStep(
                    point,
                    decimals,
                    Self.start(point, spans, times),
                    inside: axis.inside(point)
                )
            }
            if json {
                for step in steps { Output.line(try ControlCodec.line(step)) }
            } else {
                Output.line("\(stream.channels[index]) in \(stream.quantities[index].unit)")
                Output.line(StoreSeriesStep.header)
                for step in steps { Output.line(step.line) }
            }
        }
    }

    private func chosen(
        _ streams: [StreamDescription]
    ) throws -> (stream: StreamDescription, index: Int) {
        for stream in streams {
            for (index, known) in stream.channels.enumerated()
            where channel == nil || channel == known.description {
                return (stream, index)
            }
        }
        throw ClientFailure(message: StoreText.noChannel(channel, streams), exitCode: 1)
    }

    /// Wall time of a step's start, by the span that it begins in.
    private static func start(
        _ point: HistoryPoint,
        _ spans: [HistorySpan],
        _ times: StoreTimes
    ) -> DatedMoment {
        guard let span = spans.last(where: { $0.offset <= point.offset }) else {
            return DatedMoment(time: nil, isSure: nil)
        }
        let tick = Tick(tenths: span.from.tenths + point.offset - span.offset)
        return times.moment(span.boot, tick)
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
    let gapSeconds: Double

    /// - Parameters:
    ///   - point: What the history says.
    ///   - decimals: Of the channel.
    ///   - start: When it begins.
    ///   - inside: Tenths of it that were asked for; the rest is no gap.
    init(_ point: HistoryPoint, _ decimals: Int, _ start: DatedMoment, inside: Int64) {
        (time, isSure) = (start.time, start.isSure)
        let bucket = point.bucket
        let scale = (0..<decimals).reduce(1.0) { scale, _ in scale * 10 }
        seconds = Double(point.width) / 10
        count = bucket.count
        least = bucket.count > 0 ? Double(bucket.minimum) / scale : nil
        mean = bucket.mean.map { $0 / scale }
        most = bucket.count > 0 ? Double(bucket.maximum) / scale : nil
        gapSeconds = Double(max(0, inside - bucket.covered)) / 10
    }

    static let header =
        "time".column(27) + "least".aligned(to: 9) + "mean".aligned(to: 9)
        + "most".aligned(to: 9) + "values".aligned(to: 10) + "  gap"

    var line: String {
        func cell(_ value: Double?) -> String {
            (value.map(StoreText.rounded) ?? "-").aligned(to: 9)
        }
        return DatedMoment(time: time, isSure: isSure).words.column(27) + cell(least) + cell(mean)
            + cell(most)
            + "\(count)".aligned(to: 10) + "  "
            + (gapSeconds > 0 ? words(seconds: gapSeconds) : "none")
    }
}
