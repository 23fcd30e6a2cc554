import ArgumentParser
import ClientSupport
import ControlProtocol
import Core
import FileIO
import Store
import StoreQueries

struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Adds measurements of other programs to the history.",
        discussion: """
            A file is known by its content, or --as says what it is. `roost` are copies of Roost, \
            of this station or another one, as `roost export` writes them: CSV, NDJSON, JSON or \
            SQLite. Each source becomes a device of its own, \
            `roost:dust` or `sensor-community:5331`; `safecast` takes logs of bGeigies (Nano, \
            Zen), `bgeigie:204`, and measurements as the API of Safecast answers them, \
            `safecast:52` by the device there. A file of which nine samples in ten are known \
            already is called near-identical. A sample is known by its source and tenth of a \
            second, so the same files may be given again, and files may overlap. All or nothing is \
            written, and bad rows are named and left out. The history is a ring: an import needs \
            room as if it were measured now, and pushes out the oldest. It is refused when it \
            needs more than a quarter of a ring, unless --yes is given, and always when it does \
            not fit as a whole. Stop the station first.

            Exit codes: 0 imported, or all known already; 1 refused, failed, or no good row in one \
            of the files: the others are imported all the same.

            Examples: roost import balcony.csv --dry-run
                      roost import year.db --source attic
                      roost import 2017-09-*_sds011_sensor_5331.csv --as sensor-community --dry-run
                      roost import *.LOG measurements.json --as safecast --dry-run
                      roost import weekly/*.csv --as periods --source balcony --zone +01:00
                      roost import day.csv --as sensor-community --print | head
            """
    )
    @Argument(help: "Files; - for standard input, with --print.")
    var files: [String]

    @Option(
        name: .customLong("as"),
        help: "roost, periods, sensor-community or safecast; default: by the first file's content."
    )
    var kind: ImportKind?

    @Option(
        help:
            "Who measured: for `periods`, whose files do not say, and for copies of stations."
    )
    var source: String?

    @Option(help: "Zone of the times in `periods`, as +01:00; default UTC.")
    var zone = ZoneArgument(seconds: 0)

    @Option(help: "The store's folder.")
    var store = StoreFolder.standard

    @Option(help: "Make a history of so many MiB, and its folder, when there is none.")
    var megabytes: Int?

    @Flag(help: "Say what would be written and what it would push out; write nothing.")
    var dryRun = false

    @Flag(help: "Also when it needs more than a quarter of a ring.")
    var yes = false

    @Flag(name: .customLong("print"), help: "Print the samples as NDJSON; touch no history.")
    var prints = false

    @Flag(help: "Print the report as JSON.")
    var json = false

    func validate() throws {
        if kind == .periods, source == nil { throw Self.nameless }
        if let source,
            !(1...64).contains(source.utf8.count) || source.utf8.contains(where: { $0 < 33 })
        {
            throw ValidationError("--source is a word of 1 to 64 bytes")
        }
        if let megabytes, !StorePlan.megabytesRange.contains(megabytes) {
            let range = StorePlan.megabytesRange
            throw ValidationError("--megabytes is \(range.lowerBound) to \(range.upperBound)")
        }
        if !prints, files.contains("-") {
            throw ValidationError(
                "an import reads its files twice, so it accepts no standard input; write it into a "
                    + "file, or add --print to convert it"
            )
        }
        if prints, dryRun || json {
            throw ValidationError("--print writes nothing and gives no report; drop the others")
        }
    }

    private static let nameless = ValidationError(
        "periods do not say who measured; name it with --source"
    )

    private func format() throws -> ImportFormat {
        let kind = try kind ?? Self.kind(of: files.first ?? "-")
        guard let format = kind.format(source: source, utcOffset: zone.seconds) else {
            throw Self.nameless
        }
        return format
    }

    /// Knows a file by its content.
    ///
    /// - Throws: `ClientFailure` for one that is of no kind, with the next step.
    static func kind(of file: String) throws -> ImportKind {
        let head = Files.start(of: file, limit: ImportKind.headByteCount) ?? []
        if let kind = ImportKind(head: head) { return kind }
        let message = "\(file): not known what it is; say it with --as"
        throw ClientFailure(message: message, exitCode: 1)
    }

    func run() throws {
        if prints { return try ImportPrinting(format: format()).run(files) }
        let (format, folder) = (try format(), StoreFolder(path: store))
        let summary = try withStore(folder) {
            let run = try ImportRun(format: format, isDryRun: dryRun, isBold: yes)
            return try run.run(files, into: folder, megabytes: megabytes)
        }
        if json {
            Output.line(try ControlCodec.line(summary))
        } else {
            for line in summary.lines { Output.line(line) }
        }
        if let refusal = summary.refusal { throw ClientFailure(message: refusal, exitCode: 1) }
        let isForeign = summary.files.contains(where: \.isForeign)
        if summary.samples + summary.known == 0 || isForeign { throw ExitCode(1) }
    }
}

extension ImportKind: ExpressibleByArgument {}
