import ArgumentParser
import ClientSupport
import Core
import Glibc
import Store
import StoreQueries

struct ExportCommand: ParsableCommand {
    /// The formats that there are.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case csv, ndjson, json, sqlite, periods

        var text: TextFormat? { TextFormat(rawValue: rawValue) }
    }

    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes the samples of a store as CSV, NDJSON, JSON, SQLite or folders of CSV.",
        discussion: """
            Streams: a year needs no more memory than a day. What the running station has not put
            into the history yet is in the export too. Times in the files are in UTC; --from and
            --to are on the clocks of the machine's zone unless they say otherwise. `periods` makes
            the folders hourly, daily, weekly and monthly, with `PM2.5,<value>,<time>` rows. Their
            files are windows of 60, 1440, 10080 and 43800 measurements, whatever time that is: the
            names are true at one a minute. --zone +01:00 writes their times with that offset.
            `sqlite` makes a database with
            tables streams, channels, readings and events; its `.schema` says what each column is.
            Examples: roost export --format csv --output year.csv
                      roost export --format ndjson --from 2026-11-01 | gzip > november.gz
                      roost export --format sqlite --output year.db --force
                      roost export --format periods --zone +01:00 --output folders
            """
    )
    @OptionGroup var source: StoreOptions

    @Option(help: "csv, ndjson, json, sqlite or periods.")
    var format: Format

    @OptionGroup var time: TimeOptions

    @Option(help: "A new file, or the folder for `periods`; default: standard output.")
    var output: String?

    @Option(help: "Device for `periods`; default: the first with PM2.5 and PM10.")
    var device: String?

    @Flag(help: "Replace a database that is there already.")
    var force = false

    func validate() throws {
        if format == .periods, output == nil {
            throw ValidationError("periods are folders; name where with --output")
        }
        if format == .sqlite, output == nil {
            throw ValidationError("a database is a file; name it with --output")
        }
        if format == .periods, let zone = time.zone.zone, ZoneArgument(argument: zone) == nil {
            throw ValidationError(
                "periods have no place for a change of clocks; give an offset such as +01:00"
            )
        }
        if force, format != .sqlite {
            throw ValidationError("--force is for --format sqlite")
        }
    }

    func run() throws {
        let source = try source.open()
        try withStore(source.folder) {
            let reader = source.reader
            let times = try StoreTimes(reader)
            var samples = try StoreSamples(reader, times, time.range)
            let line = try ProgressLine()
            let tell: (ExportProgress) -> Void = { progress in
                let size = StoreText.bytes(Double(progress.bytes))
                line.show("export: \(progress.samples) samples, \(size)")
            }
            let done: ExportProgress
            if format == .sqlite {
                let database = try ExportDatabase(output ?? "", isForced: force)
                done = try database.export(
                    &samples,
                    events: { try reader.dated(times.clock, time.range, $0) },
                    tell
                )
            } else {
                done = try export(&samples, tell)
            }
            line.finish()
            let files = done.files > 0 ? " in \(done.files) files" : ""
            var reason = "\(done.samples) samples, \(done.rows) rows, \(done.bytes) B\(files)"
            if done.skipped > 0 { reason += "; \(done.skipped) had no place in this format" }
            let damaged = samples.damagedSegments + reader.damagedSlots
            if damaged > 0 { reason += "; \(damaged) damaged parts left out" }
            if output != nil || damaged > 0 || line.elapsed > 2 {
                Output.error("export: \(reason)")
            }
            let window = StoreWindow(times: times, range: time.range)
            try StoreText.tellDoubts(false, window, reader)
            if format == .periods { try tellWindows(done) }
            if damaged > 0 { throw ExitCode(1) }
        }
    }

    /// Says what the files of `periods` hold.
    ///
    /// - Throws: `ClientFailure` when there was nothing to write.
    private func tellWindows(_ done: ExportProgress) throws {
        guard done.rows > 0 else {
            let message =
                done.samples == 0
                ? "there are no samples in this time; nothing was written"
                : "none of \(done.samples) samples has PM2.5, PM10 and a date; nothing was written"
            throw ClientFailure(message: message, exitCode: 1)
        }
        let windows = ExportPeriods.Period.all.map { "\($0.folder) \($0.count)" }
        Output.error("export: measurements in a file: \(windows.joined(separator: ", "))")
    }

    private func export(
        _ samples: inout StoreSamples,
        _ tell: @escaping (ExportProgress) -> Void
    ) throws -> ExportProgress {
        guard let text = format.text else {
            var folders = try FileFolders(output ?? ".")
            let offset = time.zone.zone.flatMap { ZoneArgument(argument: $0) }?.seconds ?? 0
            var export = ExportPeriods(device: device, utcOffset: offset, progress: tell)
            return try export.export(&samples, to: &folders)
        }
        guard let output else {
            var export = ExportText(text, progress: tell) { bytes in
                try FileBytes.write(bytes, to: 1, "standard output")
            }
            return try export.export(&samples)
        }
        let file = try NewFile(output)
        do {
            var export = ExportText(text, progress: tell) { try file.write($0) }
            let done = try export.export(&samples)
            try file.commit()
            return done
        } catch {
            file.abandon()
            throw error
        }
    }
}

/// Folders of an export on the disk.
struct FileFolders: ExportFolders {
    private let path: String
    private var open: [String: NewFile] = [:]

    /// - Throws: `ClientFailure`.
    init(_ path: String) throws {
        self.path = path
        try Self.make(path)
    }

    mutating func open(folder: String, name: String) throws {
        try Self.make("\(path)/\(folder)")
        open[folder] = try NewFile("\(path)/\(folder)/\(name)")
    }

    mutating func write(_ bytes: [UInt8], folder: String) throws { try open[folder]?.write(bytes) }

    mutating func close(folder: String) throws { try open.removeValue(forKey: folder)?.commit() }

    /// Makes a folder and those above it.
    private static func make(_ path: String) throws {
        let above = path.split(separator: "/").dropLast().joined(separator: "/")
        if !above.isEmpty, access(path, F_OK) != 0 {
            let parent = path.hasPrefix("/") ? "/" + above : above
            if access(parent, F_OK) != 0 { try make(parent) }
        }
        guard mkdir(path, 0o755) == 0 || errno == EEXIST else {
            throw FileBytes.failure(path, "cannot be made")
        }
    }
}
