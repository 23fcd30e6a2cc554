import PowerCut
import SQLite
import Store

/// Counts of what a store's workload did, as evidence that each case occurred.
package struct StoreCensus {
    /// Operations of the workload, and how many operations on the card each kind needed.
    package private(set) var operations: [(name: String, count: Int)] = []
    /// Operations while an export was reading.
    private(set) var duringExport = 0
    /// Rounds of the journal's ring, and samples that the history's has recycled.
    private(set) var journalRounds = 0
    private(set) var recycledSamples = 0
    /// Pages written to each table, whether into the log or the file.
    package private(set) var pages: [String: Int] = [:]

    private var tried = 0

    mutating func add(_ name: String, _ recording: PowerCutRecording, isExporting: Bool = false) {
        let count = recording.triedCount - tried
        tried = recording.triedCount
        if isExporting { duringExport += count }
        if let index = operations.firstIndex(where: { $0.name == name }) {
            operations[index].count += count
        } else {
            operations.append((name, count))
        }
    }

    mutating func count(
        _ recording: PowerCutRecording,
        _ script: StoreScript,
        history: String
    ) throws {
        let connection = try Connection(history, mode: .readOnly)
        var tables: [Int: String] = [:]
        try connection.query("SELECT pageno, name FROM dbstat") { (row) throws(SQLiteError) in
            let (page, name): (Int, String) = (try row[0], try row[1])
            tables[page] = name
        }
        try connection.close()
        var blocks = 0
        for case .write(let name, let offset, let bytes) in recording.operations {
            switch name {
            case "history.db": pages[tables[offset / 4_096 + 1] ?? "free", default: 0] += 1
            // The header of a frame begins with its page: SQLite file format, section 4.1.
            case "history.db-wal" where bytes.count == 24:
                let page = bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
                pages[tables[page] ?? "free", default: 0] += 1
            case "journal.ring": blocks += 1
            default: break
            }
        }
        journalRounds = blocks / StoreWorkload.blockCount
        let reader = try HistoryReader(path: history)
        let stream = StoreScript.streams[0].id
        let raw = try RawSamples(reader, stream, try StreamExtents(reader).spans(of: stream))
        var kept = 0
        while try raw.next() != nil { kept += 1 }
        let all = script.payloads.reduce(0) { $0 + ($1.samples[stream]?.count ?? 0) }
        recycledSamples = all - kept
    }

    /// Operations that the workload must contain and lacks; empty when none is missing.
    package var missing: [String] {
        let done = Set(operations.filter { $0.count > 0 }.map(\.name))
        let wanted = [
            "journal append", "checkpoint", "migration", "setting", "crash of the process",
            "values of others",
        ]
        var missing = wanted.filter { !done.contains($0) }
        let rings = ["samples", "rollup_60", "rollup_900", "rollup_21600", "events"]
        missing += rings.filter { pages[$0, default: 0] == 0 }
        if duringExport == 0 { missing.append("writes during an export") }
        if journalRounds < 2 { missing.append("wrap of the journal's ring") }
        if recycledSamples == 0 { missing.append("wrap of the history's ring") }
        return missing
    }
}

extension StoreCensus: CustomStringConvertible {
    package var description: String {
        let steps = operations.map { "\($0.name) \($0.count)" }.joined(separator: ", ")
        let tables = pages.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        return """
            operations: \(steps); while an export was reading \(duringExport)
            rings: \(journalRounds) rounds of the journal, \(recycledSamples) samples recycled
            pages written: \(tables.joined(separator: ", "))
            """
    }
}
