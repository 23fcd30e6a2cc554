import ArgumentParser
import Readings
import Store

struct ImportCommand: ParsableCommand {
    /// The files that are understood.
    enum Kind: String, ExpressibleByArgument, CaseIterable {
        case periods
        case sensorCommunity = "sensor-community"
    }

    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Reads measurements of other programs and prints them as NDJSON.",
        discussion: """
            Checks and converts only: nothing is written into the history yet. Bad rows are named
            and left out; exit code 1 when no row was good.

            Examples: roost import daily/*.csv --as periods --source balcony --zone +01:00
                      roost import 2017-09-02_sds011_sensor_5331.csv --as sensor-community
            """
    )
    @Argument(help: "Files, or - for standard input.")
    var files: [String]

    @Option(name: .customLong("as"), help: "periods or sensor-community.")
    var kind: Kind

    @Option(help: "Who measured, for `periods`, whose files do not say.")
    var source: String?

    @Option(help: "Zone of the times in `periods`, as +01:00; UTC unless told.")
    var zone = ZoneArgument(seconds: 0)

    func validate() throws {
        if kind == .periods, source == nil {
            throw ValidationError("periods do not say who measured; name it with --source")
        }
    }

    func run() throws {
        let format: ImportFormat =
            switch kind {
            case .periods: .periods(source: source ?? "", utcOffset: zone.seconds)
            case .sensorCommunity: .sensorCommunity
            }
        let progress = try ProgressLine()
        var imported = 0
        for file in files {
            let report = try read(file, format, progress)
            imported += report.imported
            for problem in report.problems { Output.error("\(problem)") }
            let omitted = report.badRows - report.problems.count
            let more = omitted > 0 ? " (\(omitted) of them not named)" : ""
            Output.error(
                "\(file): \(report.rows) rows, \(report.imported) samples, "
                    + "\(report.badRows) bad rows\(more)"
            )
        }
        progress.finish()
        if imported == 0 { throw ExitCode(1) }
    }

    private func read(
        _ file: String,
        _ format: ImportFormat,
        _ progress: ProgressLine
    ) throws -> ImportReport {
        var text = ""
        func flush() {
            Output.write(text)
            text = ""
        }
        let take: (ImportedSample) -> Void = { sample in
            text += ImportWords.line(sample) + "\n"
            if text.utf8.count >= FileBytes.pieceByteCount { flush() }
        }
        var imports = ImportFile(file, as: format, isKnown: { _, _ in false }, take: take)
        try FileBytes.pieces(of: file) { piece in
            let rows = try imports.take(piece)
            progress.show("import: \(file), \(rows) rows")
        }
        let report = try imports.finish()
        flush()
        return report
    }
}

/// Imported samples as text.
enum ImportWords {
    /// One object: `{"time":…,"source":…,"channels":{"pm25":{"value":12.3,"unit":…}}}`.
    static func line(_ sample: ImportedSample) -> String {
        let channels = sample.values.map { value in
            let name = JSONText.string(value.quantity.name)
            let unit = JSONText.string(value.quantity.unit)
            return "\(name):{\"value\":\(value.value),\"unit\":\(unit)}"
        }
        return "{\"time\":\"\(sample.wall.iso8601Tenths)\",\"source\":"
            + JSONText.string(sample.source)
            + ",\"channels\":{\(channels.joined(separator: ","))}}"
    }
}
