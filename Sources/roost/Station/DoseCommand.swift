import ArgumentParser
import ClientSupport
import ControlProtocol
import Core
import Store
import StoreQueries

struct DoseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dose",
        abstract: "What a radiation counter counted, how sure that is, and the dose.",
        discussion: """
            Counts per minute and µSv/h over a time, with the error of counting: of N counts it is \
            √N. By default since the newest mark, else the last 24 hours. --mark counts from now \
            on; what was before stays in the history. The dose is that of the time with counts; \
            for all the time it is an estimate.

            Examples: roost dose
                      roost dose --last 1h --channel geiger/cpm
                      roost dose --mark
                      roost dose --factor 334 --json
            Exit codes: 0 done, 1 no counts in this time, 69 no station answers to --mark.
            """
    )
    @OptionGroup var time: TimeOptions

    @Option(help: "How far back from now: 90s, 15m, 2h.")
    var last: DurationArgument?

    @Option(help: "As geiger/cpm, or a device; default: the first counter that measures now.")
    var channel: String?

    @Option(help: "Counts per minute for 1 µSv/h, where the profile does not say.")
    var factor: Double?

    @Flag(help: "Count from now on.")
    var mark = false

    @OptionGroup var source: StoreOptions

    @Flag(help: "Print JSON instead of words.")
    var json = false

    func validate() throws {
        if let factor, !(0.001...1_000_000).contains(factor) {
            throw ValidationError("--factor is 0.001 to 1000000")
        }
        if last != nil, time.range != TimeRange() {
            throw ValidationError("--last, or --from and --to, not both")
        }
        if mark, last != nil || time.range != TimeRange() {
            throw ValidationError("--mark is of now")
        }
    }

    func run() throws {
        let source = try source.open()
        try withStore(source.folder) {
            let reader = source.reader
            let times = try StoreTimes(reader, now: source.now)
            guard let channels = try DoseStart.counter(channel, in: reader) else {
                let what = channel.map { "\($0) counts nothing here" } ?? "there is no counter here"
                throw ClientFailure(message: what, exitCode: 1)
            }
            if mark { return try setMark(channels) }
            let (range, isSinceMark) = try range(channels, reader, times, source.now)
            let summary = try DoseSummary(channels, reader, times, range, factor: factor)
            let report = DoseReport(summary, range, isSinceMark: isSinceMark)
            if json {
                Output.line(try ControlCodec.line(report))
            } else {
                for line in report.lines { Output.line(line) }
            }
            if summary.sampleCount == 0 { throw ExitCode(1) }
        }
    }

    private func setMark(_ channels: DoseSummary.Channels) throws {
        let client = try ClientOptions.reaching(source.socket)
        let device = channels.stream.device
        try client.show(answerTo: MarkDose(device)) { _, _ in
            ["the dose of \(device) is counted from now on"]
        }
    }

    private func range(
        _ channels: DoseSummary.Channels,
        _ reader: HistoryReader,
        _ times: StoreTimes,
        _ now: StoreTime?
    ) throws -> (TimeRange, isSinceMark: Bool) {
        if time.range != TimeRange() { return (time.range, false) }
        let present = (now ?? times.end).flatMap { times.clock.time($0.boot, $0.tick)?.wall }
        if last == nil,
            let mark = try DoseStart.newest(of: channels.stream.device, reader, times)
        {
            return (TimeRange(from: mark), true)
        }
        let length = last?.duration ?? .days(1)
        let from = present.map {
            WallTime(tenths: $0.tenths - length.wholeNanoseconds / 100_000_000)
        }
        return (TimeRange(from: from), false)
    }
}

extension DoseReport {
    var lines: [String] {
        let since = from ?? "the beginning"
        let mark = isSinceMark ? " (mark)" : ""
        guard let countRate else { return ["\(channel): no counts since \(since)\(mark)"] }
        let share = elapsedSeconds > 0 ? min(coveredSeconds / elapsedSeconds, 1) * 100 : 100
        var lines = [
            "\(channel) since \(since)\(mark)",
            StoreText.row(
                "count rate",
                "\(number(countRate.mean, 2)) ± \(number(countRate.error, 2)) cpm",
                "\(number(least ?? 0, 0)) to \(number(most ?? 0, 0))"
            ),
            StoreText.row("counts", "\(number(counts, 0))", "in \(sampleCount) samples"),
            StoreText.row("time with counts", "\(number(share, 1)) %"),
        ]
        if let deviation {
            lines.append(StoreText.row("standard deviation", "\(number(deviation, 2)) cpm"))
        }
        if let doseRate, let measuredDose, let estimatedDose {
            lines.append(
                StoreText.row(
                    "dose rate",
                    "\(number(doseRate.mean, 4)) ± \(number(doseRate.error, 4)) µSv/h"
                )
            )
            lines.append(
                StoreText.row(
                    "dose",
                    "\(number(measuredDose, 4)) µSv",
                    "in all the time about \(number(estimatedDose, 4)) µSv"
                )
            )
        } else {
            lines.append("no dose: name the counts per minute for 1 µSv/h with --factor")
        }
        return lines
    }

    private func number(_ value: Double, _ decimals: Int) -> String {
        let scale = (0..<decimals).reduce(1.0) { scale, _ in scale * 10 }
        guard abs(value) * scale < 1e18 else { return "many" }
        return FixedPoint(Int64((value * scale).rounded()), decimals: decimals).description
    }
}
