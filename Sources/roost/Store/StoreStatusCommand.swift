import ArgumentParser
import ClientSupport
import ControlProtocol
import Core
import FileIO
import HardwareIO
import LinuxIO
import Store
import StoreQueries

struct StoreStatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "What a store holds: streams, from when to when, sizes, what waits.",
        discussion: """
            Reads only; the station may be running. What it has not handed to the history yet is \
            in the journal. --count reads every sample: about a second for a year at 1 Hz.

            Examples: roost store status
                      roost store status /mnt/card/store --count --json
            """
    )
    @OptionGroup var folder: FolderOptions
    @OptionGroup var zone: ZoneOptions

    @Flag(help: "Count the samples too.")
    var count = false

    @Flag(help: "Print JSON instead of words.")
    var json = false

    func run() throws {
        let folder = StoreFolder(path: folder.path)
        let report = try withStore(folder) { try StoreStatusReport(folder, isCounting: count) }
        if json {
            Output.line(try ControlCodec.line(report))
        } else {
            for line in report.lines { Output.line(line) }
        }
    }
}

/// Content and size of a store.
struct StoreStatusReport: Codable, Hashable {
    struct Stream: Codable, Hashable {
        let id: Int
        let device: String
        let channels: [String]
        /// Boots in which it has samples.
        let boots: Int
        let from: DatedTime?
        let to: DatedTime?
        /// Seconds from first to last sample, without the time between boots.
        let seconds: Double
        var samples: Int?
    }

    let historyPath: String
    let historyBytes: Int
    let logBytes: Int
    let journalBytes: Int?
    /// The partition that holds the journal; left out when it is a file.
    let journalPartition: String?
    /// The last journal block that is in the history.
    let cursor: UInt64
    /// Streams that there is room for; one that is gone from the rings gives its place back.
    let streamPlaces: Int
    let boots: Int
    let runs: Int
    let anchors: Int
    var streams: [Stream] = []
    /// Parts that could not be read, of those that were looked at.
    var damaged = 0

    init(_ folder: StoreFolder, isCounting: Bool) throws {
        let reader = try folder.reader()
        historyPath = folder.historyPath
        historyBytes = Files.size(folder.historyPath) ?? 0
        logBytes = Files.size(folder.historyPath + "-wal") ?? 0
        journalBytes = Files.size(folder.journalPath)
        journalPartition = journalBytes == nil ? folder.journalPartition : nil
        cursor = try reader.cursor()
        streamPlaces = try reader.streamCount()
        boots = try reader.boots().count
        runs = try reader.runs().count
        anchors = try reader.anchors().count
        let times = try StoreTimes(reader)
        for stream in try reader.streams() {
            let spans = ImportedBoot.ordered(try StreamExtents(reader).spans(of: stream.id))
            var entry = Stream(
                id: Int(stream.id.rawValue),
                device: stream.device,
                channels: stream.quantities.map(\.name),
                boots: spans.count,
                from: spans.first.map { times.moment($0.boot, $0.from) },
                to: spans.last.map { times.moment($0.boot, Tick(tenths: $0.to.tenths - 1)) },
                seconds: Double(Self.length(spans)) / 10
            )
            if isCounting {
                let samples = try RawSamples(reader, stream.id, spans)
                var count = 0
                while try samples.next() != nil { count += 1 }
                entry.samples = count
                damaged += samples.damagedSegments
            }
            streams.append(entry)
        }
        damaged += reader.damagedSlots
    }

    /// Tenths from the first span's start to the last one's end on their axis.
    private static func length(_ spans: [HistorySpan]) -> Int64 {
        guard let first = spans.first, let last = spans.last else { return 0 }
        return last.offset + last.to.tenths - last.from.tenths - first.offset
    }

    var lines: [String] {
        var lines = [
            StoreText.row("history", StoreText.bytes(Double(historyBytes)), historyPath),
            StoreText.row("  its log", StoreText.bytes(Double(logBytes))),
            StoreText.row(
                "journal",
                journalBytes.map { StoreText.bytes(Double($0)) } ?? journalPartition
                    ?? "not in this folder"
            ),
            StoreText.row("  checkpointed block", "\(cursor)"),
            StoreText.row("streams", "\(streams.count) of \(streamPlaces)"),
            StoreText.row("boots, runs, anchors", "\(boots), \(runs), \(anchors)"),
        ]
        for stream in streams {
            let names = stream.channels.joined(separator: ", ")
            lines.append(StoreText.row("stream \(stream.id)", "\(stream.device): \(names)"))
            guard let from = stream.from, let to = stream.to else {
                lines.append(StoreText.row("  samples", "none in the history yet"))
                continue
            }
            lines.append(StoreText.row("  from", from.text))
            lines.append(StoreText.row("  to", to.text))
            let boots = "in \(stream.boots) \(stream.boots == 1 ? "boot" : "boots")"
            lines.append(StoreText.row("  on for", durationText(seconds: stream.seconds), boots))
            if let samples = stream.samples {
                lines.append(StoreText.row("  samples", "\(samples)"))
            }
        }
        let note = damaged > 0 ? "see `roost store check`" : ""
        lines.append(StoreText.row("damaged parts seen", "\(damaged)", note))
        return lines
    }
}
