import Core

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
/// `quality` (names joined by `|`), `no_data`. Objects of `ndjson` and `json` say the same:
/// `{"time":…,"sure":…,"boot":…,"tick":…,"device":…,"channels":{"pm25":{"value":12.3,"unit":…}}}`
/// with `quality` (an array) or `no_data` where there is any. Values are the exact decimals.
package struct ExportText {
    private static let pieceBytes = 65_536
    /// The header of `csv`.
    static let columns = [
        "time", "sure", "boot", "tick", "device", "channel", "value", "unit", "quality", "no_data",
    ]

    /// The parts that are equal in all rows of a stream and a boot, quoted once.
    private struct Labels {
        let stream: StreamDescription
        let boot: BootID
        let bootWords: [UInt8]
        let device: [UInt8]
        let names: [[UInt8]]
        let units: [[UInt8]]

        init(_ sample: DatedSample, _ quote: (String) -> String) {
            stream = sample.stream
            boot = sample.boot
            bootWords = Array(boot.description.utf8)
            device = Array(quote(stream.device).utf8)
            names = stream.quantities.map { Array(quote($0.name).utf8) }
            units = stream.quantities.map { Array(quote($0.unit).utf8) }
        }
    }

    private let format: TextFormat
    private let write: ([UInt8]) throws -> Void
    private let report: (ExportProgress) -> Void
    private var piece = TextPiece()
    private var labels: Labels?
    private var progress = ExportProgress()
    private var hasBegun = false

    /// An export to come.
    ///
    /// - Parameters:
    ///   - progress: Called after each `ExportProgress.step` samples and at the end.
    ///   - write: Receives each piece, in order.
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
    /// - Throws: The errors of the source and of `write`; bytes written until then stay.
    package mutating func export(_ source: inout some SampleSource) throws -> ExportProgress {
        while try step(&source) {}
        return progress
    }

    /// Writes the next samples of `source`, about a piece of them.
    ///
    /// - Returns: False when that was the last.
    /// - Throws: The errors of the source and of `write`; bytes written until then stay.
    package mutating func step(_ source: inout some SampleSource) throws -> Bool {
        if !hasBegun { begin() }
        while piece.bytes.count < Self.pieceBytes {
            guard let sample = try source.next() else {
                if format == .json { piece.put("\n]\n") }
                try flush()
                report(progress)
                return false
            }
            progress.samples += 1
            put(sample)
            if progress.samples % ExportProgress.step == 0 { report(progress) }
        }
        try flush()
        return true
    }

    private mutating func begin() {
        hasBegun = true
        switch format {
        case .csv: piece.put(Self.columns.joined(separator: ",") + "\n")
        case .ndjson: break
        case .json: piece.put("[")
        }
    }

    private mutating func flush() throws {
        guard !piece.bytes.isEmpty else { return }
        try write(piece.bytes)
        progress.bytes += piece.bytes.count
        piece.removeAll()
    }

    private mutating func put(_ sample: DatedSample) {
        let quote = format == .csv ? CSVWriter.text : JSONText.string
        var labels = self.labels ?? Labels(sample, quote)
        if labels.boot != sample.boot || labels.stream != sample.stream {
            labels = Labels(sample, quote)
        }
        self.labels = labels
        switch format {
        case .csv: putRows(sample, labels)
        case .ndjson:
            putObject(sample, labels)
            piece.put("\n")
        case .json:
            if progress.rows == 0 { piece.put("\n") } else { piece.put(",\n") }
            putObject(sample, labels)
        }
    }

    private mutating func putRows(_ sample: DatedSample, _ labels: Labels) {
        for (number, outcome) in sample.outcomes.prefix(labels.names.count).enumerated() {
            if let wall = sample.wall { piece.put(wall) }
            if sample.isSure { piece.put(",yes,") } else { piece.put(",no,") }
            piece.put(labels.bootWords)
            piece.put(",")
            piece.put(FixedPoint(sample.tick.tenths, decimals: 1))
            piece.put(",")
            piece.put(labels.device)
            piece.put(",")
            piece.put(labels.names[number])
            piece.put(",")
            if let value = outcome.value { piece.put(value) }
            piece.put(",")
            piece.put(labels.units[number])
            piece.put(",")
            switch outcome {
            case .value(_, let quality):
                if !quality.isEmpty { piece.put(quality.names.joined(separator: "|")) }
                piece.put(",\n")
            case .noData(let reason):
                piece.put(",")
                piece.put(reason.rawValue)
                piece.put("\n")
            }
            progress.rows += 1
        }
    }

    private mutating func putObject(_ sample: DatedSample, _ labels: Labels) {
        if let wall = sample.wall {
            piece.put("{\"time\":\"")
            piece.put(wall)
            piece.put("\"")
        } else {
            piece.put("{\"time\":null")
        }
        if sample.isSure { piece.put(",\"sure\":true") } else { piece.put(",\"sure\":false") }
        piece.put(",\"boot\":\"")
        piece.put(labels.bootWords)
        piece.put("\",\"tick\":")
        piece.put(FixedPoint(sample.tick.tenths, decimals: 1))
        piece.put(",\"device\":")
        piece.put(labels.device)
        piece.put(",\"channels\":{")
        for (number, outcome) in sample.outcomes.prefix(labels.names.count).enumerated() {
            if number > 0 { piece.put(",") }
            piece.put(labels.names[number])
            piece.put(":")
            putObject(outcome, unit: labels.units[number])
        }
        piece.put("}}")
        progress.rows += 1
    }

    private mutating func putObject(_ outcome: Outcome, unit: [UInt8]) {
        piece.put("{\"value\":")
        if let value = outcome.value { piece.put(value) } else { piece.put("null") }
        piece.put(",\"unit\":")
        piece.put(unit)
        switch outcome {
        case .value(_, let quality):
            guard !quality.isEmpty else { break }
            let names = quality.names.map(JSONText.string).joined(separator: ",")
            piece.put(",\"quality\":[\(names)]")
        case .noData(let reason):
            piece.put(",\"no_data\":")
            piece.put(JSONText.string(reason.rawValue))
        }
        piece.put("}")
    }
}
