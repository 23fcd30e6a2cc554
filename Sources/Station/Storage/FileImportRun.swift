import ControlProtocol
import Core
import HardwareIO
import Store
import Synchronization

/// One file on its way into the history, a piece at a time.
///
/// First what it would bring is found, then it is imported. Each call is short and on the disk
/// thread, so that the journal is written in between. Unchecked: reader and import are plain
/// objects, and the lock is all that ever reaches them.
final class FileImportRun: @unchecked Sendable {
    /// Bad rows, and devices, that are named.
    private static let (problemsMax, devicesMax) = (10, 32)

    private enum Step {
        case trial(HistoryImportTrial)
        case lookingAhead(HistoryImportTrial)
        case importing(HistoryImportRun)
        case done
    }

    /// What was asked for.
    let question: ImportSentFile
    private let file: any ArrivingFile
    private let format: ImportFormat
    private let now: WallTime?
    private let lock = Mutex(())
    private var reader: SentFileReader
    private var step: Step?
    private var report: ImportedFileReport
    private var range: ClosedRange<WallTime>?
    private var devices: Set<String> = []

    /// - Throws: `ControlFailure` for a file that is not known, and what `SentFileReader` throws.
    init(_ question: ImportSentFile, _ file: any ArrivingFile, now: WallTime?) throws {
        let (kind, format) = try Self.kind(of: file, question)
        (self.question, self.file, self.format, self.now) = (question, file, format, now)
        reader = try SentFileReader(file, as: format, now: now)
        report = ImportedFileReport(isTrial: question.isTrial, kind: kind.rawValue)
    }

    /// Samples that are in the history because of it.
    var importedCount: Int {
        lock.withLock { _ in if case .importing(let run) = step { run.count } else { 0 } }
    }

    /// Goes on a little.
    ///
    /// - Returns: What is known so far; `part` is nil at the end.
    /// - Throws: What reading and storing throw.
    func advance(_ store: StationStore) throws -> ImportedFileReport {
        try lock.withLock { _ in
            try store.importing { try advance(in: $0) }
            var shown = report
            shown.part = part
            return shown
        }
    }

    /// The trial is the first half of an import.
    private var part: Double? {
        switch step {
        case .done: nil
        case .importing: (1 + reader.part) / 2
        case .lookingAhead: question.isTrial ? 1 : 0.5
        case .trial, nil: question.isTrial ? reader.part : reader.part / 2
        }
    }

    private func advance(in history: History) throws {
        switch step {
        case nil: step = .trial(try HistoryImportTrial(beside: history))
        case .trial(let trial):
            guard let samples = try reader.next() else {
                survey(reader.report)
                step = range == nil ? .done : .lookingAhead(trial)
                return
            }
            samples.forEach(look)
            if !samples.isEmpty { try trial.add(samples, beside: history) }
        case .lookingAhead(let trial):
            guard try trial.lookAhead(in: history) else { return }
            show(try trial.report(beside: history))
            guard !question.isTrial, report.refusal == nil else {
                step = .done
                return
            }
            reader = try SentFileReader(file, as: format, now: now)
            step = .importing(HistoryImportRun())
        case .importing(let run):
            guard let samples = try reader.next() else {
                show(try run.report())
                file.remove()
                step = .done
                return
            }
            if !samples.isEmpty { try run.add(samples, to: history) }
        case .done: break
        }
    }

    private func look(_ sample: ImportedSample) {
        let known = range ?? sample.wall...sample.wall
        range = min(known.lowerBound, sample.wall)...max(known.upperBound, sample.wall)
        if devices.count < Self.devicesMax { devices.insert(sample.source) }
    }

    private func survey(_ read: ImportReport) {
        (report.rows, report.badRows) = (read.rows, read.badRows)
        report.isForeign = read.isForeign
        let limit = read.isForeign ? 1 : Self.problemsMax
        report.problems = read.problems.prefix(limit).map(\.description)
        report.devices = devices.sorted()
        report.from = range?.lowerBound.iso8601
        report.to = range?.upperBound.iso8601
    }

    private func show(_ found: HistoryImportReport) {
        (report.samples, report.known) = (found.samples, found.known)
        report.share = found.share
        report.overwritten = found.overwritten.map {
            ImportedFileReport.Overwritten(device: $0.device, samples: $0.samples)
        }
        // What is imported was decided before.
        guard case .lookingAhead = step else { return }
        report.refusal = found.refusal(isBold: question.isBold == true)?.rawValue
    }

    /// What the file is, and how it is read.
    private static func kind(
        of file: any ArrivingFile,
        _ question: ImportSentFile
    ) throws -> (ImportKind, ImportFormat) {
        guard file.byteCount == question.byteCount, question.byteCount > 0 else {
            throw ControlFailure(
                code: .conflict,
                message: "\(file.byteCount) bytes of the file arrived, not \(question.byteCount); "
                    + "send it again",
                pointer: "/file",
                .importBroken
            )
        }
        var kind = question.kind.flatMap(ImportKind.init)
        if question.kind != nil, kind == nil {
            let all = ImportKind.allCases.map(\.rawValue).joined(separator: ", ")
            throw ControlFailure.badRequest("kind is one of \(all)", at: "/kind")
        }
        if kind == nil {
            kind = ImportKind(head: try file.piece(at: 0, count: ImportKind.headByteCount))
        }
        guard let kind else {
            throw ControlFailure.badRequest(
                "it is not known what the file is; say it",
                at: "/kind",
                .importUnknown
            )
        }
        let offset = question.utcOffsetSeconds ?? 0
        guard let format = kind.format(source: question.source, utcOffset: offset) else {
            throw ControlFailure.badRequest(
                "periods do not say who measured; name it",
                at: "/source",
                .importNameless
            )
        }
        return (kind, format)
    }
}
