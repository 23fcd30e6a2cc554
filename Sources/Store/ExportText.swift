import Readings

/// Formats that are one stream of text.
package enum TextFormat: String, Sendable, CaseIterable {
    /// A header, then a row for each sample and channel; UTF-8, LF.
    ///
    /// Long rather than wide, so that streams with different channels share a file and each value
    /// carries its own unit and doubts.
    case csv
    /// An object for each sample, one a line.
    case ndjson
    /// The same objects in one array.
    case json
}

/// Writes samples as text, in pieces of about 64 KiB and with the memory of one piece.
///
/// Columns of `csv`: `time` (ISO 8601, UTC, tenths; empty when nothing dates the boot), `sure`
/// (`yes`, `no`), `boot`, `tick` (seconds since boot), `device`, `channel`, `value`, `unit`,
/// `quality` (words joined by `|`), `no_data`. Objects of `ndjson` and `json` say the same:
/// `{"time":…,"sure":…,"boot":…,"tick":…,"device":…,"channels":{"pm25":{"value":12.3,"unit":…}}}`
/// with `quality` (an array) or `no_data` where there is any. Values are the exact decimals.
package struct ExportText {
    private static let pieceBytes = 65_536

    private let format: TextFormat
    private let write: ([UInt8]) throws -> Void
    private let report: (ExportProgress) -> Void
    private var piece: [UInt8] = []
    private var progress = ExportProgress()

    /// An export to come.
    ///
    /// - Parameters:
    ///   - format: What to write.
    ///   - progress: Called after each `ExportProgress.step` samples and at the end.
    ///   - write: Takes each piece, in order.
    package init(
        _ format: TextFormat,
        progress: @escaping (ExportProgress) -> Void = { _ in },
        to write: @escaping ([UInt8]) throws -> Void
    ) {
        self.format = format
        self.write = write
        report = progress
    }

    /// Writes all samples of `source`.
    ///
    /// - Throws: What the source or `write` throws; what was written until then stays.
    package mutating func export(_ source: inout some SampleSource) throws -> ExportProgress {
        put(Self.opening(format))
        while let sample = try source.next() {
            progress.samples += 1
            switch format {
            case .csv: putRows(sample)
            case .ndjson: putObject(sample, before: "", after: "\n")
            case .json: putObject(sample, before: progress.rows == 0 ? "\n" : ",\n", after: "")
            }
            if piece.count >= Self.pieceBytes { try flush() }
            if progress.samples % ExportProgress.step == 0 { report(progress) }
        }
        if format == .json { put("\n]\n") }
        try flush()
        report(progress)
        return progress
    }

    private static func opening(_ format: TextFormat) -> String {
        switch format {
        case .csv: "time,sure,boot,tick,device,channel,value,unit,quality,no_data\n"
        case .ndjson: ""
        case .json: "["
        }
    }

    private mutating func put(_ text: String) { piece.append(contentsOf: text.utf8) }

    private mutating func flush() throws {
        guard !piece.isEmpty else { return }
        try write(piece)
        progress.bytes += piece.count
        piece.removeAll(keepingCapacity: true)
    }

    // MARK: - CSV

    private mutating func putRows(_ sample: DatedSample) {
        let head = CSVWriter.row([
            sample.wall?.iso8601Tenths ?? "", sample.isSure ? "yes" : "no",
            sample.boot.description, Self.seconds(sample.tick), sample.stream.device,
        ])
        for (quantity, outcome) in zip(sample.stream.quantities, sample.outcomes) {
            let (value, quality, noData) = Self.words(outcome)
            let quoted = quality.joined(separator: "|")
            let cells = [quantity.name, value, quantity.unit, quoted, noData]
            put(head + "," + CSVWriter.row(cells) + "\n")
            progress.rows += 1
        }
    }

    private static func seconds(_ tick: Tick) -> String {
        FixedPoint(tick.tenths, decimals: 1).description
    }

    private static func words(
        _ outcome: Outcome
    ) -> (value: String, quality: [String], noData: String) {
        switch outcome {
        case .value(let value, let quality): (value.description, quality.names, "")
        case .noData(let reason): ("", [], reason.rawValue)
        }
    }

    // MARK: - JSON

    private mutating func putObject(_ sample: DatedSample, before: String, after: String) {
        let time = sample.wall.map { JSONText.string($0.iso8601Tenths) } ?? "null"
        let channels = zip(sample.stream.quantities, sample.outcomes).map { quantity, outcome in
            JSONText.string(quantity.name) + ":" + Self.object(outcome, unit: quantity.unit)
        }
        let fields = [
            "\"time\":\(time)", "\"sure\":\(sample.isSure)", "\"boot\":\"\(sample.boot)\"",
            "\"tick\":\(Self.seconds(sample.tick))",
            "\"device\":\(JSONText.string(sample.stream.device))",
            "\"channels\":{\(channels.joined(separator: ","))}",
        ]
        put("\(before){\(fields.joined(separator: ","))}\(after)")
        progress.rows += 1
    }

    private static func object(_ outcome: Outcome, unit: String) -> String {
        let (value, quality, noData) = words(outcome)
        var fields = ["\"value\":\(value.isEmpty ? "null" : value)"]
        fields.append("\"unit\":\(JSONText.string(unit))")
        if !quality.isEmpty {
            let names = quality.map(JSONText.string).joined(separator: ",")
            fields.append("\"quality\":[\(names)]")
        }
        if !noData.isEmpty { fields.append("\"no_data\":\(JSONText.string(noData))") }
        return "{\(fields.joined(separator: ","))}"
    }
}
