/// Where a page of records begins; see `TailReport`.
enum StoreTailPosition: Hashable {
    /// Batches ever removed from the queue, and those skipped.
    case queue(Int)
    /// After a block of the journal.
    case journal(after: UInt64)
    /// After a record of `RecentRecords`, of the process that started so many nanoseconds after the
    /// boot.
    case records(of: Int64, after: Int)

    /// Text form in requests and answers: `q17`, `j4711`, `r12003456789-4711`.
    var text: String {
        switch self {
        case .queue(let number): "q\(number)"
        case .journal(let sequence): "j\(sequence)"
        case .records(let process, let number): "r\(process)-\(number)"
        }
    }

    init?(_ text: String) {
        let number = text.dropFirst()
        switch text.first {
        case "q":
            guard let count = Int(number), count >= 0 else { return nil }
            self = .queue(count)
        case "j":
            guard let sequence = UInt64(number) else { return nil }
            self = .journal(after: sequence)
        case "r":
            let parts = number.split(separator: "-")
            guard parts.count == 2, let process = Int64(parts[0]), let number = Int(parts[1])
            else { return nil }
            self = .records(of: process, after: number)
        default: return nil
        }
    }
}
