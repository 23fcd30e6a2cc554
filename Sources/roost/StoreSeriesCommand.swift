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
            let axis = StoreSeriesAxis(
                ImportedBoot.ordered(times.clip(try reader.spans(of: stream.id), time.range)),
                points: points
            )
            let spans = axis.spans
            let found = try reader.downsampled(
                stream.id,
                channel: index,
                spans,
                points: axis.points
            )
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

/// Steps that are whole buckets of a rollup, so that no bucket lies across two of them.
struct StoreSeriesAxis: Hashable {
    private(set) var spans: [HistorySpan]
    /// Never more than wanted.
    private(set) var points: Int
    /// What was asked for, tenths on the axis.
    private let wanted: Range<Int64>

    init(_ spans: [HistorySpan], points: Int) {
        (self.spans, self.points) = (spans, points)
        guard let first = spans.first, let last = spans.last else {
            wanted = 0..<0
            return
        }
        let end = last.offset + last.to.tenths - last.from.tenths
        wanted = first.offset..<end
        let count = Int64(max(1, points))
        func width(_ length: Int64) -> Int64 { max(1, (length + count - 1) / count) }
        guard
            let grain = RollupTier.allCases.map(\.tenths).last(where: {
                $0 <= width(end - first.offset)
            })
        else { return }
        let early = first.from.tenths % grain
        let length = end - first.offset + early
        let step = (width(length) + grain - 1) / grain * grain
        let steps = max(1, (length + step - 1) / step)
        self.points = Int(steps)
        self.spans[0] = HistorySpan(
            boot: first.boot,
            from: Tick(tenths: first.from.tenths - early),
            to: first.to,
            offset: first.offset - early
        )
        let final = self.spans[spans.count - 1]
        self.spans[spans.count - 1] = HistorySpan(
            boot: final.boot,
            from: final.from,
            to: Tick(tenths: final.to.tenths + steps * step - length),
            offset: final.offset
        )
    }

    /// Tenths of a step that were asked for.
    func inside(_ point: HistoryPoint) -> Int64 {
        let step = point.offset..<point.offset + point.width
        let clipped = step.clamped(to: wanted)
        return clipped.upperBound - clipped.lowerBound
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

    /// - Parameters:
    ///   - point: What the history says.
    ///   - decimals: Of the channel.
    ///   - time: Its start in words.
    ///   - inside: Tenths of it that were asked for; the rest is no gap.
    init(_ point: HistoryPoint, _ decimals: Int, _ time: String, inside: Int64) {
        self.time = time
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
