import Core

/// Where a page of records begins; see `TailReport`.
enum StoreTailPosition: Hashable {
    /// One process of the station: two boots may start it at the same nanosecond.
    struct Process: Hashable {
        let boot: BootID
        let start: MonotonicInstant
    }

    /// Batches ever removed from the queue, and those skipped.
    case queue(Int)
    /// After a block of the journal.
    case journal(after: UInt64)
    /// After a record of `RecentRecords`.
    case records(of: Process, after: Int)

    /// Text form in requests and answers: `q17`, `j4711`, `rBOOT-12003456789-4711`.
    var text: String {
        switch self {
        case .queue(let number): "q\(number)"
        case .journal(let sequence): "j\(sequence)"
        case .records(let process, let number):
            "r\(process.boot)-\(process.start.nanoseconds)-\(number)"
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
            let parts = number.split(separator: "-").map(String.init)
            guard parts.count == 3, let boot = BootID(parts[0]), let start = Int64(parts[1]),
                let number = Int(parts[2])
            else { return nil }
            let process = Process(boot: boot, start: MonotonicInstant(nanoseconds: start))
            self = .records(of: process, after: number)
        default: return nil
        }
    }
}
