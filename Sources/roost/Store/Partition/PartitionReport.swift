import Store

/// Partitions of a disk, and the changes made or planned.
struct PartitionReport: Codable, Hashable {
    struct Partition: Codable, Hashable {
        let number: Int
        let device: String
        let startBytes: Int
        let byteCount: Int
        let isJournal: Bool
    }

    struct Refusal: Codable, Hashable {
        let code: String
        let sentence: String
        let nextStep: String
    }

    /// `possible`, `made`, `present`, `removed` or `refused`.
    var state: String
    let device: String
    /// `gpt` or `mbr`; left out when the table cannot be read.
    var table: String?
    var partitions: [Partition] = []
    /// The journal's, there or planned.
    var journal: Partition?
    var blockCount: Int?
    /// Descriptions of the writes, in their order.
    var writes: [String] = []
    /// The file with the table as it was.
    var backup: String?
    var notes: [String] = []
    var refusal: Refusal?

    init(_ device: String) { (state, self.device) = ("refused", device) }

    var lines: [String] {
        let kind = table.map { $0.uppercased() } ?? "cannot be read"
        var lines = [StoreText.row("disk", device), StoreText.row("table", kind)]
        for part in partitions + (state == "possible" ? [journal].compactMap(\.self) : []) {
            let size = StoreText.bytes(Double(part.byteCount))
            let place = "\(size) from \(StoreText.bytes(Double(part.startBytes))) on"
            let note =
                part.isJournal ? (state == "possible" ? "new, the journal's" : "journal") : ""
            lines.append(StoreText.row("  \(part.device)", place, note))
        }
        if let backup { lines.append(StoreText.row("table as it was", backup)) }
        lines += writes.map { StoreText.row(state == "possible" ? "would write" : "wrote", $0) }
        lines += notes
        if let refusal {
            lines.append("no partition: \(refusal.sentence)")
            lines.append("next: \(refusal.nextStep)")
        }
        return lines
    }
}
