import HardwareIO
import SQLite

/// Why an operation of the store failed.
package enum StoreError: Error, Hashable, Sendable {
    /// The card, or the file on it.
    case storage(StorageError)
    case database(SQLiteError)
    /// Every block of the ring waits for the history; release some, or drop the oldest data.
    case journalFull(blockCount: Int)
    /// More than one block holds.
    case payloadTooLong(byteCount: Int, capacity: Int)
    /// The ring was written with blocks of another size.
    case otherBlockSize(found: Int, wanted: Int)
    /// A block that was whole is not any more, or was never there.
    case lostBlock(JournalDamage)
}

extension StoreError {
    /// Whether the database found no room; the journal needs none.
    package var isHistoryFull: Bool {
        if case .database(let cause) = self { cause.isFull } else { false }
    }
}

extension StoreError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .storage(let error): "\(error)"
        case .database(let error): "\(error)"
        case .journalFull(let blockCount):
            "the journal is full: all \(blockCount) blocks wait for the history"
        case .payloadTooLong(let byteCount, let capacity):
            "\(byteCount) bytes do not fit one journal block of \(capacity)"
        case .otherBlockSize(let found, let wanted):
            "the journal has blocks of \(found) bytes, not \(wanted); "
                + "name its size in the configuration, or move it aside"
        case .lostBlock(let damage): "\(damage)"
        }
    }
}
