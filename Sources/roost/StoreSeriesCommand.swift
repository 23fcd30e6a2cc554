import ArgumentParser
import ControlProtocol
import Readings
import Store

struct StoreSeriesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "series",
        abstract: "A channel over any time in a few hundred steps: least, mean and most of each.",
        discussion: """
            From the finest rollup that is coarse enough, so a year takes no longer than a day.
            The station may be running; what is still in its journal is not in here.

            Examples: roost store series --channel balcony/pm25 --points 500
                      roost store series /mnt/card/store --from 2026-11-01 --json
            """
    )
    @Argument(help: "The store's folder.")
    var folder = StoreFolder.standard

    @Option(help: "As balcony/pm25; the first channel unless told.")
    var channel: String?

    @Option(help: "Steps at most.")
    var points = 24

    @OptionGroup var time: TimeOptions

    @Flag(help: "Print a JSON object a step instead of a table.")
    var json = false

    func validate() throws {
        guard (1...HistoryReader.pointCountMax).contains(points) else {
            throw ValidationError("--points is 1 to \(HistoryReader.pointCountMax), not \(points)")
        }
    }

    func run() throws {
        let folder = StoreFolder(path: folder)
        try withStore(folder) {
            let reader = try folder.reader()
            let (stream, index) = try chosen(try reader.streams())
            let times = try StoreTimes(reader)
            let spans = times.clip(try reader.spans(of: stream.id), time.range)
            let found = try reader.downsampled(stream.id, channel: index, spans, points: points)
            let decimals = stream.quantities[index].decimals
            let steps = found.map { StoreSeriesStep($0, decimals, Self.start($0, spans, times)) }
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
        let names = streams.flatMap(\.channels).map(\.description).joined(separator: ", ")
        let message =
            "there is no channel \(channel ?? "at all"); "
            + (names.isEmpty ? "the history has no streams yet" : "there are \(names)")
        throw ClientFailure(message: message, exitCode: 1)
    }

    /// Wall time of a step's start, by the span that it begins in.
    private static func start(
        _ point: HistoryPoint,
        _ spans: [HistorySpan],
        _ times: StoreTimes
    ) -> String {
        guard let span = spans.last(where: { $0.offset <= point.offset }) else { return "no date" }
        let tick = Tick(tenths: span.from.tenths + point.offset - span.offset)
        return times.words(span.boot, tick)
    }
}

/// One step of a series.
struct StoreSeriesStep: Codable, Hashable {
    let time: String
    let seconds: Double
    /// Values in it; 0 leaves the others out.
    let count: Int64
    let least: Double?
    let mean: Double?
    let most: Double?
    let gapSeconds: Double

    init(_ point: HistoryPoint, _ decimals: Int, _ time: String) {
        self.time = time
        let bucket = point.bucket
        let scale = (0..<decimals).reduce(1.0) { scale, _ in scale * 10 }
        seconds = Double(point.width) / 10
        count = bucket.count
        least = bucket.count > 0 ? Double(bucket.minimum) / scale : nil
        mean = bucket.mean.map { $0 / scale }
        most = bucket.count > 0 ? Double(bucket.maximum) / scale : nil
        gapSeconds = point.gap.inSeconds
    }

    static let header =
        "time".padded(to: 22) + "least".aligned(to: 9) + "mean".aligned(to: 9)
        + "most".aligned(to: 9) + "values".aligned(to: 10) + "  gap"

    var line: String {
        func cell(_ value: Double?) -> String {
            (value.map(StoreWords.rounded) ?? "-").aligned(to: 9)
        }
        return time.padded(to: 22) + cell(least) + cell(mean) + cell(most)
            + "\(count)".aligned(to: 10) + "  "
            + (gapSeconds > 0 ? words(seconds: gapSeconds) : "none")
    }
}
