import ArgumentParser
import ClientSupport
import Core
import FileIO
import Glibc
import SQLite
import Station
import Store
import StoreQueries

/// Reads files of other programs into a history: once to see what is there, once to import it.
struct ImportRun {
    private struct File {
        let path: String
        let first: WallTime
        let last: WallTime
    }

    private let format: ImportFormat
    private let isDryRun: Bool
    private let isBold: Bool
    private let progress: ProgressLine

    init(format: ImportFormat, isDryRun: Bool, isBold: Bool) throws {
        (self.format, self.isDryRun, self.isBold) = (format, isDryRun, isBold)
        progress = try ProgressLine()
    }

    /// Imports all files, or none.
    ///
    /// - Throws: `ClientFailure`, `StoreError`.
    func run(_ paths: [String], into folder: StoreFolder, megabytes: Int?) throws -> ImportSummary {
        defer { progress.finish() }
        var summary = ImportSummary()
        summary.isDryRun = isDryRun
        let files = try survey(paths, &summary)
        guard !files.isEmpty else { return summary }
        try folder.demandAlone(for: "import")
        let isFresh = access(folder.historyPath, F_OK) != 0
        let isNewFolder = try megabytes != nil && folder.make()
        var isKept = false
        defer {
            if isFresh, !isKept { unlink(folder.historyPath) }
            if isNewFolder, !isKept { rmdir(folder.path) }
        }
        let report = try write(files, into: try open(folder, megabytes), folder, &summary)
        isKept = !isDryRun && summary.refusal == nil
        if isFresh, !isKept { unlink(folder.historyPath) }
        guard access(folder.historyPath, F_OK) == 0 else {
            summary.merge(report) { _ in DatedTime(time: nil, isSure: nil) }
            return summary
        }
        let times = try StoreTimes(try folder.reader())
        summary.merge(report) { place in times.moment(place.boot, place.tick) }
        return summary
    }

    /// Imports all files in one transaction, checks the result, and commits it or not.
    private func write(
        _ files: [File],
        into history: History,
        _ folder: StoreFolder,
        _ summary: inout ImportSummary
    ) throws -> HistoryImportReport {
        do {
            let report = try HistoryImport.run(into: history) { target in
                for file in files {
                    let before = try target.report().known
                    let count = try importFile(file, into: target)
                    let known = try target.report().known - before
                    summary.remember(known: known, of: count, in: file.path)
                }
                let report = try target.report()
                summary.refusal = refusal(report)
                let isKept = !isDryRun && summary.refusal == nil
                return (report, isKept ? .keep : .discard)
            }
            try history.close()
            return report
        } catch let error as ImportError {
            let message = "\(error); nothing was imported"
            throw ClientFailure(message: message, exitCode: 1)
        } catch StoreError.database(let error) where error.code == 5 {
            throw folder.busy("import", nil)
        }
    }

    /// Reads every file and names what is bad; those with good rows come back, oldest first.
    ///
    /// Of files that begin together the longest comes first: it holds what the others do.
    private func survey(_ paths: [String], _ summary: inout ImportSummary) throws -> [File] {
        var files: [File] = []
        for path in paths {
            var range: ClosedRange<WallTime>?
            var box: GeoBox?
            let report = try ImportReading.read(path, format, progress, "read") { sample in
                let known = range ?? sample.wall...sample.wall
                range = min(known.lowerBound, sample.wall)...max(known.upperBound, sample.wall)
                if let place = GeoBox(sample) { box = box?.union(place) ?? place }
            }
            summary.add(report, path, box)
            guard let range else { continue }
            files.append(File(path: path, first: range.lowerBound, last: range.upperBound))
        }
        return files.sorted { ($0.first, $1.last) < ($1.first, $0.last) }
    }

    /// - Returns: The samples of the file.
    private func importFile(_ file: File, into target: HistoryImport) throws -> Int {
        var (batch, count): ([ImportedSample], Int) = ([], 0)
        batch.reserveCapacity(HistoryImport.batchCountMax)
        _ = try ImportReading.read(file.path, format, progress, "import") { sample in
            batch.append(sample)
            count += 1
            guard batch.count == HistoryImport.batchCountMax else { return }
            try target.add(batch)
            batch.removeAll(keepingCapacity: true)
        }
        try target.add(batch)
        return count
    }

    private func open(_ folder: StoreFolder, _ megabytes: Int?) throws -> History {
        if access(folder.historyPath, F_OK) == 0 {
            // A reader refuses what is damaged; opening to write would set it aside.
            _ = try folder.reader()
        } else if megabytes == nil {
            let message =
                "\(folder.historyPath): there is no history; name the store's folder with --store, "
                + "or make one with --megabytes 64"
            throw ClientFailure(message: message, exitCode: 1)
        }
        let plan = StorePlan(.megabytes(megabytes ?? 64))
        let (history, _) = try HistoryFile.open(
            path: folder.historyPath,
            plan: plan,
            version: RoostVersion.text
        )
        folder.giveToOwner(folder.historyPath)
        return history
    }

    private func refusal(_ report: HistoryImportReport) -> String? {
        switch report.refusal(isBold: isBold) {
        case nil: nil
        case .tooLarge:
            "this is more than the history holds; import less, or copy it into a larger one "
                + "with `roost store compact-copy`; nothing was imported"
        case .needsConsent:
            "this needs \(ImportSummary.percent(report.share)) of the history's room; nothing was "
                + "imported; say --yes if that is meant, or copy it into a larger one with "
                + "`roost store compact-copy`"
        }
    }
}

/// One pass over a file.
enum ImportReading {
    /// Time of this machine's clock; nil before 2026, where nothing has set it yet.
    private static var now: WallTime? {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        guard time.tv_sec >= 1_767_225_600 else { return nil }
        return WallTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    static func read(
        _ path: String,
        _ format: ImportFormat,
        _ progress: ProgressLine,
        _ word: String,
        take: @escaping (ImportedSample) throws -> Void
    ) throws -> ImportReport {
        let start = Files.start(of: path, limit: ImportDatabase.beginning.utf8.count)
        if case .own(let station) = format, start == Array(ImportDatabase.beginning.utf8) {
            let show = { (rows: Int) in progress.show("\(word): \(path), \(rows) rows") }
            return try database(path, station, progress: show, take: take)
        }
        var file = ImportFile(
            path,
            as: format,
            now: now,
            isKnown: { _, _ in false },
            take: take
        )
        try FileBytes.pieces(of: path) { piece in
            let rows = try file.receive(piece)
            progress.show("\(word): \(path), \(rows) rows")
        }
        return try file.finish()
    }

    private static func database(
        _ path: String,
        _ station: String?,
        progress: (Int) -> Void,
        take: (ImportedSample) throws -> Void
    ) throws -> ImportReport {
        do {
            let file = ImportDatabase(path, station: station)
            return try file.read(progress: progress, accept: take)
        } catch let refusal as ImportDatabase.Refusal {
            throw ClientFailure(message: "\(path): \(refusal)", exitCode: 1)
        }
    }

    /// Says what was bad, on standard error.
    ///
    /// A file of which no row could be read gets one message.
    static func report(_ report: ImportReport, _ path: String) {
        if report.isForeign, let first = report.problems.first {
            let rows =
                report.rows == 1 ? "its only row is bad" : "all its \(report.rows) rows are bad"
            Output.error("\(path): no file of this kind, \(rows); \(first)")
            return
        }
        for problem in report.problems { Output.error("\(problem)") }
        let omitted = report.badRows - report.problems.count
        if omitted > 0 { Output.error("\(path): \(omitted) more bad rows") }
    }
}

/// Prints the samples of files and leaves every history alone.
struct ImportPrinting {
    let format: ImportFormat

    func run(_ paths: [String]) throws {
        let progress = try ProgressLine()
        defer { progress.finish() }
        var (count, isForeign) = (0, false)
        for path in paths {
            var text = ""
            let report = try ImportReading.read(path, format, progress, "read") { sample in
                text += ImportText.line(sample) + "\n"
                guard text.utf8.count >= FileBytes.pieceByteCount else { return }
                Output.write(text)
                text = ""
            }
            Output.write(text)
            ImportReading.report(report, path)
            count += report.imported
            isForeign = isForeign || report.isForeign
        }
        if count == 0 || isForeign { throw ExitCode(1) }
    }
}

/// The report of an import, done or planned.
struct ImportSummary: Codable, Hashable {
    struct File: Codable, Hashable {
        let path: String
        let rows: Int
        let badRows: Int
        /// Whether no row is one of this format.
        let isForeign: Bool
        /// The first bad rows, with line and reason; one of a foreign file.
        let problems: [String]
        /// Around all its places; nil without one.
        let box: GeoBox?
        /// Whether nine in ten of its samples are those of another file, or were there already.
        fileprivate(set) var isNearIdentical = false
    }

    struct Overwritten: Codable, Hashable {
        let device: String
        let samples: Int
        let from: DatedTime?
        let to: DatedTime?
    }

    var isDryRun = false
    private(set) var files: [File] = []
    private(set) var samples = 0
    private(set) var known = 0
    /// Files of which nine in ten samples were known.
    private(set) var nearIdentical = 0
    private(set) var newStreams = 0
    /// Part of the ring that it fills most; 1 is all of it.
    private(set) var share = 0.0
    private(set) var overwritten: [Overwritten] = []
    /// Why it was not done.
    var refusal: String?

    /// Notes how many of a file's samples another file or the history had.
    mutating func remember(known: Int, of count: Int, in path: String) {
        guard count > 0, known * 10 >= count * 9,
            let index = files.firstIndex(where: { $0.path == path && !$0.isNearIdentical })
        else { return }
        files[index].isNearIdentical = true
        nearIdentical += 1
    }

    mutating func add(_ report: ImportReport, _ path: String, _ box: GeoBox?) {
        ImportReading.report(report, path)
        files.append(
            File(
                path: path,
                rows: report.rows,
                badRows: report.badRows,
                isForeign: report.isForeign,
                problems: report.problems.prefix(report.isForeign ? 1 : .max).map(\.description),
                box: box
            )
        )
    }

    mutating func merge(
        _ report: HistoryImportReport,
        moment: (HistoryImportReport.Place) -> DatedTime
    ) {
        (samples, known) = (report.samples, report.known)
        (newStreams, share) = (report.streams, report.share)
        overwritten = report.overwritten.map { gone in
            Overwritten(
                device: gone.device,
                samples: gone.samples,
                from: gone.from.map(moment),
                to: gone.to.map(moment)
            )
        }
    }

    /// The first files that are near-identical to others.
    private var twins: String {
        files.filter(\.isNearIdentical).prefix(3).map(\.path).joined(separator: ", ")
    }

    static func percent(_ share: Double) -> String { "\(StoreText.rounded(share * 100)) %" }

    var lines: [String] {
        let isDone = !isDryRun && refusal == nil
        let bad = files.reduce(0) { $0 + $1.badRows }
        var lines = [
            StoreText.row("files", "\(files.count)"),
            StoreText.row("rows", "\(files.reduce(0) { $0 + $1.rows })", "\(bad) bad"),
            StoreText.row(isDone ? "samples imported" : "samples to import", "\(samples)"),
            StoreText.row("known already", "\(known)"),
            StoreText.row("near-identical files", "\(nearIdentical)", twins),
            StoreText.row(isDone ? "new streams" : "streams to make", "\(newStreams)"),
            StoreText.row("of the history's room", Self.percent(share)),
        ]
        for gone in overwritten {
            let range = [gone.from, gone.to].compactMap(\.?.text).joined(separator: " to ")
            lines.append(
                StoreText.row(
                    isDone ? "overwritten" : "would overwrite",
                    "\(gone.samples) samples of \(gone.device)",
                    range
                )
            )
        }
        if overwritten.isEmpty { lines.append(StoreText.row("overwritten", "nothing")) }
        if isDryRun { lines.append("a dry run: nothing was written") }
        return lines
    }
}

/// Imported samples as text.
enum ImportText {
    /// Returns a line such as `{"time":…,"source":…,"channels":{"pm25":{"value":12.3,"unit":…}}}`.
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
