import Alerts
import ArgumentParser
import ClientSupport
import Configuration
import ControlProtocol
import Core
import Store
import StoreQueries

struct AlertsReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "What the rules would have said of your own past.",
        discussion: """
            Goes through the store's samples with the rules of the configuration and of your \
            settings, or of a file that you try. For each rule: episodes, hours, and the notices \
            of a receiver that takes one in 5, 20 or 60 min. Rules about the station itself are \
            left out. Works without a station.

            Examples: roost alerts replay --last 365d
                      roost alerts replay --rules try.json --store /mnt/card/store
            Exit codes: 0 done, 1 the rules or the store cannot be read, 69 there is no store.
            """
    )
    @OptionGroup var source: StoreOptions

    @Option(help: "How far back from now: 12h, 365d; default: all there is.")
    var last: DurationArgument?

    @Option(help: "A configuration, or its part `alerts`; default: that of the station.")
    var rules: String?

    @Flag(help: "Print JSON instead of words.")
    var json = false

    func run() throws {
        let source = try source.open()
        let alerts = try AlertsFile.alerts(rules, besides: source.folder.path)
        let replay = try withStore(source.folder) { try goThrough(alerts, source) }
        if json {
            Output.line(try ControlCodec.line(AlertsReplayReport(replay)))
        } else {
            for line in AlertText.replay(replay.rows, length: replay.length) { Output.line(line) }
        }
    }

    private func goThrough(
        _ alerts: AlertsConfiguration,
        _ source: StoreSource
    ) throws -> AlertReplay {
        let progress = try ProgressLine()
        defer { progress.finish() }
        let times = try StoreTimes(source.reader, now: source.now)
        let window = StoreWindow(
            times: times,
            last: last?.duration,
            now: source.now ?? times.end
        )
        var samples = try StoreSamples(source.reader, window) { !$0.id.isImported }
        let zone = alerts.zone.flatMap(Zone.init(named:)) ?? Zone.current
        var replay = AlertReplay(alerts.rules, AlertHours(zone: zone.offset))
        var undated = 0
        while let sample = try samples.next() {
            guard let wall = sample.wall, let second = sample.second else {
                undated += 1
                continue
            }
            replay.append(sample.readings, at: second)
            progress.show("alerts: \(wall.iso8601)")
        }
        if undated > 0 {
            Output.error("\(undated) samples are left out: nothing says when they were")
        }
        return replay
    }
}

/// A replay as JSON.
struct AlertsReplayReport: Codable {
    struct Row: Codable {
        let rule: String
        let episodes: Int
        let raisedSeconds: Int
        let medianSeconds: Int
        let channels: [String: Int]
        /// Number of notices, by the seconds between two.
        let notices: [String: Int]
    }

    let seconds: Int
    let rules: [Row]

    init(_ replay: AlertReplay) {
        seconds = replay.length
        rules = replay.rows.map { row in
            Row(
                rule: row.rule,
                episodes: row.episodes,
                raisedSeconds: row.raisedSeconds,
                medianSeconds: row.medianSeconds,
                channels: row.channels,
                notices: Dictionary(row.notices.map { ("\($0)", $1) }) { $1 }
            )
        }
    }
}
