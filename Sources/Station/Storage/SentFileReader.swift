import Core
import HardwareIO
import Store

/// Reads a file of another program that was sent, some hundred rows at a time, and hands out its
/// samples by source and time; belongs to the disk thread.
final class SentFileReader {
    /// Bytes of text, and rows of a database, that are read at once.
    private static let (byteCount, rowCount) = (16_384, 512)
    /// Samples in memory: so many are put in order, which costs a file that goes back in time few
    /// boots of its own.
    private static let sampleCountMax = 8_192

    private enum Content {
        case text(ImportFile, at: Int)
        case database(ImportDatabase.ReadingRows)
    }

    /// What the rows become.
    private final class Samples {
        var waiting: [ImportedSample] = []
    }

    private let file: any ArrivingFile
    private let length: Int
    private var content: Content
    private let samples: Samples
    private var ordered: ArraySlice<ImportedSample> = []
    private var isAtEnd = false
    private(set) var report = ImportReport()

    /// - Parameters:
    ///   - now: Later rows of Safecast are bad; nil where the time is not known.
    init(_ file: any ArrivingFile, as format: ImportFormat, now: WallTime?) throws {
        let samples = Samples()
        (self.file, self.samples, length) = (file, samples, file.byteCount)
        if case .own(let station) = format, try Self.isDatabase(file) {
            content = .database(try ImportDatabase.ReadingRows(file.path, station: station))
            return
        }
        let rows = ImportFile(
            "line",
            as: format,
            now: now,
            isKnown: { _, _ in false },
            take: { samples.waiting.append($0) }
        )
        content = .text(rows, at: 0)
    }

    private static func isDatabase(_ file: any ArrivingFile) throws -> Bool {
        let beginning = Array(ImportDatabase.beginning.utf8)
        return try file.piece(at: 0, count: beginning.count) == beginning
    }

    /// How much of the file was read and handed out, 0…1.
    var part: Double {
        let read =
            switch content {
            case .text(_, let at): Double(at) / Double(max(1, length))
            case .database(let rows): Double(rows.report.rows) / Double(max(1, rows.count))
            }
        return min(1, read)
    }

    /// Reads a little, or hands out samples of what was read.
    ///
    /// - Returns: Samples, `HistoryImportRun.pieceCountMax` at most and none where it only read;
    ///   nil at the end.
    /// - Throws: `StorageError`; `ImportDatabase.Refusal`.
    func next() throws -> [ImportedSample]? {
        if !ordered.isEmpty {
            let piece = ordered.prefix(HistoryImportRun.pieceCountMax)
            ordered = ordered.dropFirst(piece.count)
            return Array(piece)
        }
        if isAtEnd { return nil }
        try read()
        if isAtEnd || samples.waiting.count >= Self.sampleCountMax { order() }
        return []
    }

    private func read() throws {
        switch content {
        case .text(var rows, let at):
            let bytes = try file.piece(at: at, count: Self.byteCount)
            isAtEnd = bytes.isEmpty
            if isAtEnd { report = try rows.finish() } else { try rows.receive(bytes) }
            content = .text(rows, at: at + bytes.count)
        case .database(let rows):
            let samples = samples
            isAtEnd = try !rows.next(Self.rowCount) { samples.waiting.append($0) }
            report = rows.report
        }
    }

    private func order() {
        let order = samples.waiting.enumerated().sorted {
            ($0.element.source, $0.element.wall.tenths, $0.offset)
                < ($1.element.source, $1.element.wall.tenths, $1.offset)
        }
        ordered = order.map(\.element)[...]
        samples.waiting.removeAll(keepingCapacity: true)
    }
}
