import Core

/// Where an export of several files puts them; files of several folders are open at once.
package protocol ExportFolders {
    /// Makes `folder/name`, empty, and its folder when it is not there.
    mutating func open(folder: String, name: String) throws
    /// Appends to the file that is open in `folder`.
    mutating func write(_ bytes: [UInt8], folder: String) throws
    /// Completes the file that is open in `folder`.
    mutating func close(folder: String) throws
}

/// Writes PM readings as folders of CSV files, each of as many measurements as it is named for.
///
/// `hourly` files have 60, `daily` 1 440, `weekly` 10 080, `monthly` 43 800 measurements; how long
/// that is depends on the interval (a minute a measurement gives the names their sense). A
/// measurement is two rows with CRLF, `PM2.5,<value>,<time>` and `PM10,<value>,<time>`, byte for
/// byte as Python's `csv.writer` writes a float and `time.asctime`. A file has the name of its
/// first measurement's time and `.csv`; a second file of that name gets ` 2`, and so on. The last
/// file of each folder holds what there was.
///
/// The format has no place for a measurement without both values or without a date: these are
/// skipped and counted. It does not say which zone it is in or whether a time is sure.
package struct ExportPeriods {
    /// A folder and how many measurements its files hold.
    package struct Period: Hashable, Sendable {
        package let folder: String
        /// Measurements in a file.
        package let count: Int

        package init(folder: String, count: Int) {
            precondition(count > 0, "a file holds a measurement at least")
            self.folder = folder
            self.count = count
        }

        package static let all = [
            Period(folder: "hourly", count: 60), Period(folder: "daily", count: 1_440),
            Period(folder: "weekly", count: 10_080), Period(folder: "monthly", count: 43_800),
        ]
    }

    private struct Folder {
        let period: Period
        var piece: [UInt8] = []
        var count = 0  // Measurements in the open file.
        var lastName = ""
        var sameNameCount = 0
    }

    /// Bytes gathered for a file before they are written.
    private static let pieceBytes = 16_384

    private let utcOffset: (Int) -> Int
    private var device: String?
    private let report: (ExportProgress) -> Void
    private var folders: [Folder]
    private var progress = ExportProgress()

    /// An export to come.
    ///
    /// - Parameters:
    ///   - device: The device of the readings; nil means the first with both `pm25` and `pm10`.
    ///   - utcOffset: Seconds east of Greenwich at a second since 1970; times are written in it.
    ///   - progress: Called after each `ExportProgress.step` samples and at the end.
    package init(
        device: String? = nil,
        utcOffset: @escaping (Int) -> Int = { _ in 0 },
        periods: [Period] = Period.all,
        progress: @escaping (ExportProgress) -> Void = { _ in }
    ) {
        self.device = device
        self.utcOffset = utcOffset
        report = progress
        folders = periods.map { Folder(period: $0) }
    }

    /// Writes all samples of `source` that the format has a place for.
    ///
    /// - Parameters:
    ///   - source: Samples, oldest first.
    /// - Returns: What was written and skipped.
    /// - Throws: The errors of both; bytes written until then stay.
    package mutating func export(
        _ source: inout some SampleSource,
        to target: inout some ExportFolders
    ) throws -> ExportProgress {
        while let sample = try source.next() {
            progress.samples += 1
            if let (rows, name) = measurement(sample) {
                progress.rows += 2
                for index in folders.indices { try put(rows, named: name, index, &target) }
            } else {
                progress.skipped += 1
            }
            if progress.samples % ExportProgress.step == 0 { report(progress) }
        }
        for index in folders.indices where folders[index].count > 0 { try close(index, &target) }
        report(progress)
        return progress
    }

    /// Two rows, and the time in them.
    private mutating func measurement(_ sample: DatedSample) -> (rows: [UInt8], time: String)? {
        guard device == nil || device == sample.stream.device, let wall = sample.wall,
            let pm25 = Self.value(Quantity.pm25.name, in: sample),
            let pm10 = Self.value(Quantity.pm10.name, in: sample)
        else { return nil }
        device = sample.stream.device
        let second = Int(wall.tenths).flooredDivision(by: 10).quotient
        let time = AscTime.text(wall, utcOffset: utcOffset(second))
        let rows = [("PM2.5", pm25), ("PM10", pm10)].map { name, value in
            CSVWriter.row([name, CSVWriter.pythonWords(value.doubleValue), time]) + "\r\n"
        }
        return (Array(rows.joined().utf8), time)
    }

    private static func value(_ name: String, in sample: DatedSample) -> FixedPoint? {
        let index = sample.stream.quantities.firstIndex { $0.name == name }
        return index.flatMap {
            sample.outcomes.indices.contains($0) ? sample.outcomes[$0].counted : nil
        }
    }

    private mutating func put(
        _ rows: [UInt8],
        named time: String,
        _ index: Int,
        _ target: inout some ExportFolders
    ) throws {
        let folder = folders[index].period.folder
        if folders[index].count == 0 {
            try target.open(folder: folder, name: name(time, index) + ".csv")
        }
        folders[index].piece += rows
        folders[index].count += 1
        if folders[index].piece.count >= Self.pieceBytes { try flush(index, &target) }
        if folders[index].count == folders[index].period.count { try close(index, &target) }
    }

    /// Times never fall, so only the file just before can have the same name.
    private mutating func name(_ time: String, _ index: Int) -> String {
        folders[index].sameNameCount =
            folders[index].lastName == time ? folders[index].sameNameCount + 1 : 1
        folders[index].lastName = time
        let number = folders[index].sameNameCount
        return number == 1 ? time : "\(time) \(number)"
    }

    private mutating func flush(_ index: Int, _ target: inout some ExportFolders) throws {
        try target.write(folders[index].piece, folder: folders[index].period.folder)
        progress.bytes += folders[index].piece.count
        folders[index].piece.removeAll(keepingCapacity: true)
    }

    private mutating func close(_ index: Int, _ target: inout some ExportFolders) throws {
        if !folders[index].piece.isEmpty { try flush(index, &target) }
        try target.close(folder: folders[index].period.folder)
        progress.files += 1
        folders[index].count = 0
    }
}
