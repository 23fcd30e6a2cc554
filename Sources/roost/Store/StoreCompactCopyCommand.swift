import ArgumentParser
import ClientSupport
import ControlProtocol
import Core
import FileIO
import Glibc
import Station
import Store
import StoreQueries

struct StoreCompactCopyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact-copy",
        abstract: "Copies a store into a new folder, its history smaller, larger or as it is.",
        discussion: """
            Keeps the newest samples that fit, and rollups, events, settings, streams, runs and \
            clock anchors; what the journal still holds goes along. The copy is read and checked \
            at its end, and the original stays as it is. Stop the station first; then name the new \
            folder in its configuration, or move the files to where the old ones were.

            Exit codes: 0 copied and sound; 1 refused, failed, or the check found something.

            Examples: roost store compact-copy --into /mnt/card/store --megabytes 256
                      roost store compact-copy /var/lib/roost --into /tmp/small --days 30 --json
                      roost store compact-copy /mnt/old --into /mnt/new/store
            """
    )
    @OptionGroup var folder: FolderOptions

    @Option(help: "A new folder, or one without a store.")
    var into: String

    @Option(help: "MiB of the new history, 4…65536; default: the old one's.")
    var megabytes: Int?

    @Option(help: "Days of raw samples that it shall hold, at one SDS011 once a second.")
    var days: Int?

    @Flag(help: "Print JSON instead of words.")
    var json = false

    func validate() throws {
        if megabytes != nil, days != nil {
            throw ValidationError("give --megabytes or --days, not both")
        }
        let range = StorePlan.megabytesRange
        if let megabytes, !range.contains(megabytes) {
            throw ValidationError(
                "--megabytes is \(range.lowerBound) to \(range.upperBound), not \(megabytes)"
            )
        }
        if let days, !(1...36_500).contains(days) {
            throw ValidationError("--days is 1 to 36500, not \(days)")
        }
    }

    func run() throws {
        let (old, new) = (StoreFolder(path: folder.path), StoreFolder(path: into))
        try old.demandAlone(for: "store compact-copy")
        try prepare(new)
        let progress = try ProgressLine()
        let size = megabytes.map { StorePlan.Size.megabytes($0) } ?? days.map { .days($0) }
        let report = try withStore(old) {
            try HistoryCopy.copy(
                old.historyPath,
                to: new.historyPath,
                plan: size.map { StorePlan($0) },
                version: RoostVersion.text
            ) { done, total in
                progress.show("compact-copy: \(total > 0 ? done * 100 / total : 100) %")
            }
        }
        var summary = StoreCopySummary(report, into: new)
        summary.hasJournal = try copyJournal(old, new, progress)
        progress.finish()
        if json {
            Output.line(try ControlCodec.line(summary))
        } else {
            for line in summary.lines { Output.line(line) }
        }
        if !summary.findings.isEmpty { throw ExitCode(1) }
    }

    private func prepare(_ new: StoreFolder) throws {
        _ = try new.make()
        for path in [new.historyPath, new.journalPath] where access(path, F_OK) == 0 {
            throw ClientFailure(
                message: "\(path): is there already; a copy needs a new folder",
                exitCode: 1
            )
        }
    }

    /// Whether there was one in the folder.
    private func copyJournal(
        _ old: StoreFolder,
        _ new: StoreFolder,
        _ progress: ProgressLine
    ) throws -> Bool {
        guard access(old.ringPath, F_OK) == 0 else { return false }
        let file = try OutputFile(new.journalPath)
        try FileBytes.pieces(of: old.ringPath) { piece in
            try file.write(piece)
            progress.show("compact-copy: the journal")
        }
        try file.commit()
        return true
    }
}

/// Content of a compact copy, ring by ring.
struct StoreCopySummary: Codable, Hashable {
    struct Ring: Codable, Hashable {
        let name: String
        let items: Int
        let kept: Int
        let damagedSlots: Int
    }

    let path: String
    let byteCount: Int
    let rings: [Ring]
    let findings: [String]
    let isSameSize: Bool
    var hasJournal = false

    init(_ report: HistoryCopyReport, into folder: StoreFolder) {
        path = folder.historyPath
        byteCount = Files.size(folder.historyPath) ?? 0
        rings = report.rings.map { ring in
            Ring(
                name: ring.name,
                items: ring.items,
                kept: ring.kept,
                damagedSlots: ring.damagedSlots
            )
        }
        findings = report.findings
        isSameSize = report.isWhole
    }

    var lines: [String] {
        let how = isSameSize ? "as it was" : "made anew"
        var lines = [
            StoreText.row("copy", StoreText.bytes(Double(byteCount)), "\(path), \(how)")
        ]
        for ring in rings {
            let missing = ring.items - ring.kept
            lines.append(
                StoreText.row(
                    Self.words[ring.name] ?? ring.name,
                    "\(ring.kept) of \(ring.items)",
                    missing > 0 ? "the oldest \(missing) did not fit" : ""
                )
            )
            if ring.damagedSlots > 0 {
                lines.append(StoreText.row("  damaged before", "\(ring.damagedSlots) slots"))
            }
        }
        lines.append(StoreText.row("journal", hasJournal ? "copied" : "not in this folder"))
        lines += findings.map { "DAMAGED " + $0 }
        lines.append(findings.isEmpty ? "the copy is sound" : "the copy is damaged")
        return lines
    }

    private static let words = [
        "samples": "samples", "rollup_60": "minutes", "rollup_900": "quarter hours",
        "rollup_21600": "six hours", "events": "events",
    ]
}
