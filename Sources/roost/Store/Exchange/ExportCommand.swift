import ArgumentParser
import ClientSupport
import Core
import Glibc
import Store
import StoreQueries

struct ExportCommand: ParsableCommand {
    /// The formats that there are.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case csv, ndjson, json, sqlite, periods, bgeigie

        var text: TextFormat? { TextFormat(rawValue: rawValue) }
    }

    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes the samples of a store as CSV, NDJSON, JSON, SQLite, folders or a log.",
        discussion: """
            Streams: a year needs no more memory than a day. What the running station has not put \
            into the history yet is in the export too. Times in the files are in UTC; --from and \
            --to are on the clocks of the machine's zone unless they say otherwise. `periods` \
            makes the folders hourly, daily, weekly and monthly, with `PM2.5,<value>,<time>` rows. \
            Their files are windows of 60, 1440, 10080 and 43800 measurements, whatever time that \
            is: the names are true at one a minute. --zone +01:00 or --zone Europe/Berlin writes \
            their times on its clocks: they do not say which of two hours is meant when it goes \
            back in autumn. Without it they are in UTC. `sqlite` makes a database with tables \
            streams, channels, readings and events; its `.schema` says what each column is. \
            --survey writes what the newest survey of that name has. Of one with a radiation \
            counter `bgeigie` makes a log as Safecast takes it, the position from the counter or \
            from --place.
            Examples: roost export --format csv --output year.csv
                      roost export --format ndjson --from 2026-11-01 | gzip > november.gz
                      roost export --format csv --last 7d --channel balcony/pm25
                      roost export --format csv --without humid,jump --output dry.csv
                      roost export --format sqlite --output year.db --force
                      roost export --format periods --zone +01:00 --output folders
                      roost export --format bgeigie --survey ride --output ride.LOG
            """
    )
    @OptionGroup var source: StoreOptions

    @Option(help: "csv, ndjson, json, sqlite, periods or bgeigie.")
    var format: Format

    @OptionGroup var options: ChannelOptions

    @Option(help: "A new file, or the folder for `periods`; default: standard output.")
    var output: String?

    @Option(help: "Device for `periods` (default: the one in use) and `bgeigie` (the first).")
    var device: String?

    @Option(help: "Only what this survey has; needed for `bgeigie`.")
    var survey: String?

    @Option(help: "For `bgeigie`: the device that knows the place.")
    var place: String?

    @Option(help: "For `bgeigie`: the counter's number in the log.")
    var deviceNumber: Int?

    @Option(help: "Leave out values with these flags, as `humid,jump`.")
    var without: [FlagNames] = []

    @Flag(help: "Replace a database that is there already.")
    var force = false

    func validate() throws {
        if format == .periods, output == nil {
            throw ValidationError("periods are folders; name where with --output")
        }
        if format == .sqlite, output == nil {
            throw ValidationError("a database is a file; name it with --output")
        }
        guard format == .bgeigie || place == nil && deviceNumber == nil else {
            throw ValidationError("--place and --device-number are for --format bgeigie")
        }
        if format == .bgeigie, survey == nil {
            throw ValidationError("a log has one survey; name it with --survey")
        }
        if format == .bgeigie, !without.isEmpty {
            throw ValidationError("a log has no flags; --without is for the other formats")
        }
        if let deviceNumber, !(0...Int(Int32.max)).contains(deviceNumber) {
            throw ValidationError("--device-number is 0 to \(Int32.max)")
        }
        if survey != nil, !options.span.isOpen {
            throw ValidationError("--survey, or --last, --from and --to, not both")
        }
        if options.channel != nil, format == .periods || format == .bgeigie {
            throw ValidationError("--channel is for csv, ndjson, json and sqlite")
        }
        if force, format != .sqlite {
            throw ValidationError("--force is for --format sqlite")
        }
    }

    func run() throws {
        let source = try source.open()
        try withStore(source.folder) {
            let reader = source.reader
            var window = try options.span.window(source)
            let times = window.times
            let survey = try survey.map { try Self.survey($0, reader, times) }
            if let survey, format == .bgeigie { return try writeLog(survey, reader, times) }
            if let survey { window.range = survey.range }
            var samples = try samples(reader, window, survey)
            samples.without = without.reduce(into: []) { $0.formUnion($1.flags) }
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
                    events: { try reader.dated(window, $0) },
                    tell
                )
            } else {
                let device = try device ?? Self.dustSensor(reader, window)
                done = try export(&samples, of: device, tell)
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
            try StoreText.reportDoubts(false, window, reader)
            if format == .periods { try reportWindows(done) }
            if damaged > 0 { throw ExitCode(1) }
        }
    }

    private static func survey(
        _ name: String,
        _ reader: HistoryReader,
        _ times: StoreTimes
    ) throws -> StoredSurvey {
        if let found = try StoredSurvey.newest(named: name, reader, times) { return found }
        let all = try StoredSurvey.all(reader, times)
        let known = Set(all.map(\.name)).sorted().prefix(20)
        let others = known.isEmpty ? "there is none" : "there are \(known.joined(separator: ", "))"
        let why = all.contains { $0.name == name } ? "has no date" : "is not there; \(others)"
        throw ClientFailure(message: "the survey \(name) \(why)", exitCode: 1)
    }

    private func samples(
        _ reader: HistoryReader,
        _ window: StoreWindow,
        _ survey: StoredSurvey?
    ) throws -> StoreSamples {
        let places = try options.places(reader)
        var samples = try StoreSamples(
            reader,
            window.times.clock,
            { stream in places.map { $0[stream.id] != nil } ?? true },
            clip: { survey?.clip($0) ?? window.clip($0) }
        )
        samples.places = places ?? [:]
        return samples
    }

    /// Writes a survey as the log of a bGeigie.
    private func writeLog(
        _ survey: StoredSurvey,
        _ reader: HistoryReader,
        _ times: StoreTimes
    ) throws {
        var choice = DriveLog.Choice()
        (choice.counter, choice.position) = (device, place)
        choice.deviceNumber = deviceNumber ?? 0
        guard var log = try DriveLog(of: survey, choice, reader, times) else {
            let message = "the survey \(survey.name) has no counts per minute"
            throw ClientFailure(message: message, exitCode: 1)
        }
        let file = try output.map { try OutputFile($0) }
        var text = BGeigieRecord.logHead
        func flush() throws {
            let bytes = Array(text.utf8)
            if let file {
                try file.write(bytes)
            } else {
                try FileBytes.write(bytes, to: 1, "standard output")
            }
            text = ""
        }
        while let line = try log.next() {
            text += line + "\r\n"
            if text.utf8.count >= FileBytes.pieceByteCount { try flush() }
        }
        try flush()
        try file?.commit()
        let omitted = log.sampleCount - log.lineCount
        let rest = omitted > 0 ? "; \(omitted) have no count or no place" : ""
        if output != nil || omitted > 0 {
            Output.error("export: \(log.sampleCount) samples, \(log.lineCount) lines\(rest)")
        }
    }

    /// Says what the files of `periods` hold.
    ///
    /// - Throws: `ClientFailure` when there was nothing to write.
    private func reportWindows(_ done: ExportProgress) throws {
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

    /// The device whose PM values `periods` takes by itself; nil without one in this time.
    private static func dustSensor(
        _ reader: HistoryReader,
        _ window: StoreWindow
    ) throws -> String? {
        try MinutePairs.streams(reader).first { stream in
            try !window.clip(StreamExtents(reader).spans(of: stream.id)).isEmpty
        }?.device
    }

    private func export(
        _ samples: inout StoreSamples,
        of device: String?,
        _ tell: @escaping (ExportProgress) -> Void
    ) throws -> ExportProgress {
        guard let text = format.text else {
            var folders = try FileFolders(output ?? ".")
            let zone = options.span.time.zone.zone == nil ? Zone.utc : .current
            var export = ExportPeriods(device: device, utcOffset: zone.offset, progress: tell)
            return try export.export(&samples, to: &folders)
        }
        guard let output else {
            var export = ExportText(text, progress: tell) { bytes in
                try FileBytes.write(bytes, to: 1, "standard output")
            }
            return try export.export(&samples)
        }
        let file = try OutputFile(output)
        var export = ExportText(text, progress: tell) { try file.write($0) }
        let done = try export.export(&samples)
        try file.commit()
        return done
    }
}

/// `humid,jump`: flags of values.
struct FlagNames: ExpressibleByArgument {
    let flags: Quality

    init?(argument: String) {
        var flags: Quality = []
        for name in argument.split(separator: ",", omittingEmptySubsequences: false) {
            guard let flag = Quality(named: String(name)) else { return nil }
            flags.formUnion(flag)
        }
        self.flags = flags
    }

    static var allValueStrings: [String] { Quality.everyName }
}

/// Folders of an export on the disk.
struct FileFolders: ExportFolders {
    private let path: String
    private var open: [String: OutputFile] = [:]

    /// - Throws: `ClientFailure`.
    init(_ path: String) throws {
        self.path = path
        try Self.make(path)
    }

    mutating func open(folder: String, name: String) throws {
        try Self.make("\(path)/\(folder)")
        open[folder] = try OutputFile("\(path)/\(folder)/\(name)")
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
