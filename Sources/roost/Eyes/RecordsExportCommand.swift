import ArgumentParser
import Camera
import ClientSupport
import ControlProtocol
import Core
import Glibc
import HardwareIO
import Store
import StoreQueries

/// The report of an export of records into a folder.
struct RecordsExportReport: Encodable, Hashable {
    let recordCount: Int
    let pictureCount: Int
    /// Pictures that were deleted or damaged meanwhile.
    let missingCount: Int
}

struct RecordsExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes all records into a new folder: records.csv, and each picture beside it.",
        discussion: """
            A row for each motion of the history, oldest first, with its length and the name of \
            its picture; a picture whose motion the history does not have is a row as well.

            Examples: roost records export front-door
                      roost records export front-door --store /mnt/card/var/lib/roost \\
                          --ring /mnt/card/var/lib/roost-eyes/pictures
            """
    )
    private static let pageLimit = 1_000
    private static let columns = [
        "time", "isSure", "instantSeconds", "source", "seconds", "picture",
    ]

    @Argument(help: "The folder; it must not be there yet.")
    var folder: String

    @OptionGroup var options: RingOptions
    @OptionGroup var store: StoreOptions

    @Flag(help: "Print JSON instead of words.")
    var json = false

    func run() throws {
        let ring = try ringIfThere()
        let source: StoreSource
        do { source = try store.open() } catch let error as StationWithoutStore {
            throw ClientFailure(message: "\(error)", exitCode: 1)
        }
        let rows = try withStore(source.folder) { try records(source, ring?.records ?? []) }
        guard mkdir(folder, 0o700) == 0 else {
            throw FileBytes.failure(folder, "cannot be made")
        }
        var (count, missing) = (0, 0)
        var text = Self.columns.joined(separator: ",") + "\n"
        let progress = try ProgressLine()
        for (index, row) in rows.enumerated() {
            progress.show("record \(index + 1) of \(rows.count)")
            var name = ""
            if let picture = row.picture, let ring {
                if try put(picture, of: ring) {
                    (name, count) = (picture.name, count + 1)
                } else {
                    missing += 1
                }
            }
            text += Self.row(row, name) + "\n"
        }
        progress.finish()
        try write(Array(text.utf8), "records.csv")
        let report = RecordsExportReport(
            recordCount: rows.count,
            pictureCount: count,
            missingCount: missing
        )
        Output.line(json ? try ControlCodec.line(report) : report.text(folder))
    }

    /// Motions without a camera are records, too.
    private func ringIfThere() throws -> PictureRing? {
        do { return try PictureFile.read(options.ring) } catch {
            if case .absent = error, options.ring == PictureFile.standardPath { return nil }
            throw options.failure(error)
        }
    }

    /// Reads all records, oldest first.
    private func records(
        _ source: StoreSource,
        _ pictures: [PictureRecord]
    ) throws -> [MotionRecords.Item] {
        let times = try StoreTimes(source.reader, now: source.now)
        var (rows, cursor): ([MotionRecords.Item], MotionRecords.Cursor?) = ([], nil)
        repeat {
            let page = try MotionRecords(
                source.reader,
                times,
                pictures,
                after: cursor,
                limit: Self.pageLimit
            )
            rows += page.items
            cursor = page.next
        } while cursor != nil
        return rows.reversed()
    }

    private func put(_ picture: PictureRecord, of ring: PictureRing) throws -> Bool {
        let bytes: [UInt8]?
        do { bytes = try ring.picture(picture) } catch { throw options.failure(error) }
        guard let bytes else { return false }
        try write(bytes, picture.name)
        return true
    }

    private func write(_ bytes: [UInt8], _ name: String) throws {
        try FileBytes.put(bytes, "\(folder)/\(name)")
    }

    private static func row(_ item: MotionRecords.Item, _ picture: String) -> String {
        [
            item.time?.iso8601 ?? "", item.time == nil ? "" : "\(item.isSure)",
            "\(Double(item.instant.nanoseconds / 100_000_000) / 10)",
            CSVWriter.text(item.source), item.seconds.map { "\($0)" } ?? "", picture,
        ]
        .joined(separator: ",")
    }
}

extension RecordsExportReport {
    fileprivate func text(_ folder: String) -> String {
        let missing = missingCount == 0 ? "" : "; \(missingCount) pictures were gone or damaged"
        return "\(recordCount) records and \(pictureCount) pictures in \(folder)\(missing)"
    }
}
