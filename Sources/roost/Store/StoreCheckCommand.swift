import ArgumentParser
import ClientSupport
import ControlProtocol
import Core
import Glibc
import HardwareIO
import LinuxIO
import SQLite
import Store
import StoreQueries

struct StoreCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Reads everything a store holds and says what is damaged; exit code 1 if any is.",
        discussion: """
            The database's own check, every block of the journal, every segment and event. Changes \
            nothing. Stop the station for it: a block that is written meanwhile may look damaged.

            Examples: roost store check
                      roost store check /mnt/card/store --journal /dev/mmcblk0p3 --json
            """
    )
    @OptionGroup var folder: FolderOptions

    @Option(help: "The journal, when it is not journal.ring in the folder.")
    var journal: String?

    @Option(help: "Bytes of a journal block.")
    var block = 4_096

    @Flag(help: "Print JSON instead of words.")
    var json = false

    func validate() throws { try BlockSize.validate(block) }

    func run() throws {
        let folder = StoreFolder(path: folder.path)
        let progress = try ProgressLine()
        var report = StoreCheckReport()
        try withStore(folder) {
            let reader = try report.open(folder)
            if reader != nil { report.checkDatabase(folder, progress) }
            try report.checkJournal(
                journal ?? folder.ringPath,
                isNamed: journal != nil,
                blockSize: block,
                cursor: try reader?.cursor() ?? 0
            )
            if let reader { try report.checkSamples(reader, progress) }
        }
        progress.finish()
        if json {
            Output.line(try ControlCodec.line(report))
        } else {
            for line in report.lines { Output.line(line) }
        }
        if !report.findings.isEmpty { throw ExitCode(1) }
    }
}

/// The result of checking a store.
struct StoreCheckReport: Codable, Hashable {
    /// Findings kept; the others are counted.
    static let findingsMax = 100

    private(set) var findings: [String] = []
    private(set) var omittedFindings = 0
    /// Blocks that wait for the history.
    private(set) var journalBlocks = 0
    /// Remarks that are useful to know and no damage.
    private(set) var notes: [String] = []
    private(set) var samples = 0
    private(set) var events = 0

    init() {}

    mutating func find(_ text: String) {
        if findings.count < Self.findingsMax {
            findings.append(text)
        } else {
            omittedFindings += 1
        }
    }

    /// The history, or nil when it is none any more, which is a finding.
    ///
    /// - Throws: `StoreError` when it is not there or may not be read.
    mutating func open(_ folder: StoreFolder) throws -> HistoryReader? {
        do { return try HistoryReader(path: folder.historyPath) } catch {
            guard case .database(let found) = error, found.isCorrupt else { throw error }
            let next = "the station sets it aside at its next start and begins a new one"
            find("\(folder.historyPath): \(found.message); \(next)")
            return nil
        }
    }

    /// SQLite's own check of the whole file.
    mutating func checkDatabase(_ folder: StoreFolder, _ progress: ProgressLine) {
        do {
            let connection = try Connection(
                folder.historyPath,
                mode: .readOnly,
                busyTimeout: .seconds(10)
            )
            for text in try connection.integrityCheck() {
                find("\(folder.historyPath): \(text)")
            }
            try connection.close()
        } catch {
            find("\(folder.historyPath): the database's check failed: \(error.message)")
        }
        progress.show("check: the database's own check is done")
    }

    /// Checks every block of the ring, and every record of those that wait.
    mutating func checkJournal(
        _ path: String,
        isNamed: Bool,
        blockSize: Int,
        cursor: UInt64
    ) throws {
        guard isNamed || access(path, F_OK) == 0 else {
            notes.append("\(path): not there; name the journal with --journal to check it")
            return
        }
        let storage: FileBlockStorage
        do {
            storage = try FileBlockStorage(path: path, blockSize: blockSize, blockCount: nil)
        } catch { throw StoreError.storage(error) }
        let journal: Journal
        do { journal = try Journal(storage, reusableUpTo: cursor) } catch {
            guard case .otherBlockSize(let found, _) = error else { throw error }
            let message = "\(path): has blocks of \(found) bytes; add --block \(found)"
            throw ClientFailure(message: message, exitCode: 1)
        }
        for sequence in journal.blocks {
            guard let block = try? journal.read(sequence) else { continue }
            let contents = JournalRecordCodec.contents(block.payload)
            if let fault = contents.fault { find("journal block \(sequence): \(fault)") }
            if contents.unknownCount > 0 {
                notes.append("journal block \(sequence) has records of a newer version")
            }
            journalBlocks += 1
        }
        // This reads all waiting blocks; unreadable ones come back as damage.
        let lost = journal.replay(after: cursor).damage
        for damage in lost { find("\(damage)") }
        if let unfinished = journal.unfinished { notes.append("a write was cut: \(unfinished)") }
        let others = journal.damagedSlotCount - lost.count - (journal.unfinished == nil ? 0 : 1)
        if others > 0 { find("\(path): \(others) more slots that hold no whole block") }
    }

    /// Checks every segment of every stream, and every event.
    mutating func checkSamples(_ reader: HistoryReader, _ progress: ProgressLine) throws {
        for stream in try reader.streams() {
            let spans = try StreamExtents(reader).spans(of: stream.id)
            let all = try RawSamples(reader, stream.id, spans)
            var position: Int64 = 0
            let whole = spans.reduce(0) { $0 + $1.to.tenths - $1.from.tenths }
            let starts = Dictionary(spans.map { ($0.boot, $0.offset - $0.from.tenths) }) { $1 }
            while let sample = try all.next() {
                samples += 1
                guard samples % 65_536 == 0 else { continue }
                position = sample.tick.tenths + (starts[sample.boot] ?? 0)
                let percent = whole > 0 ? min(100, position * 100 / whole) : 100
                progress.show("check: stream \(stream.id.rawValue), \(percent) % read")
            }
            if all.damagedSegments > 0 {
                find("stream \(stream.id.rawValue): \(all.damagedSegments) segments do not decode")
            }
        }
        var count = 0
        try HistoryEvents(reader).each { _ in
            count += 1
            return true
        }
        events = count
        if reader.damagedSlots > 0 { find("\(reader.damagedSlots) slots fail their checksum") }
    }

    var lines: [String] {
        var lines = [
            StoreText.row("samples read", "\(samples)"),
            StoreText.row("events read", "\(events)"),
            StoreText.row("journal blocks waiting", "\(journalBlocks)"),
        ]
        lines += notes
        lines += findings.map { "DAMAGED " + $0 }
        if omittedFindings > 0 { lines.append("and \(omittedFindings) more") }
        lines.append(findings.isEmpty ? "sound" : "damaged: \(findings.count + omittedFindings)")
        return lines
    }
}
