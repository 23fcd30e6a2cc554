import PowerCut
import SQLite

/// A workload in SQLite: numbers 1, 2, 3 …, one to a transaction, acknowledged after its COMMIT.
struct NumbersInSQLite {
    struct Lost: Error, Equatable, CustomStringConvertible {
        let description: String
    }

    private let mode: JournalMode
    private let synchronous: SynchronousMode
    private let count: Int64

    init(mode: JournalMode, synchronous: SynchronousMode, count: Int64 = 4) {
        self.mode = mode
        self.synchronous = synchronous
        self.count = count
    }

    func write(_ recording: PowerCutRecording) throws {
        let connection = try open(recording.folder)
        for number in 1...count {
            try connection.transaction { () throws(SQLiteError) in
                let padding = [UInt8](repeating: UInt8(number), count: 300)
                try connection.execute("INSERT INTO numbers VALUES(?, ?)", number, padding)
                try connection.execute("UPDATE numbers SET padding = ? WHERE number = 1", padding)
            }
            recording.acknowledge(number)
        }
        try connection.close()
    }

    /// Demands all that was acknowledged, and at most the one that was under way.
    func verify(_ state: PowerCutState) throws {
        let connection = try open(state.folder)
        let sql = "SELECT number FROM numbers ORDER BY number"
        let found: [Int64] = try connection.rows(sql) { (row) throws(SQLiteError) in try row[0] }
        let damage = try connection.integrityCheck()
        guard damage.isEmpty else { throw Lost(description: damage.joined(separator: "; ")) }
        let isWhole = found == Array(1...count).prefix(found.count).map(\.self)
        guard isWhole, found.starts(with: state.acknowledged),
            found.count <= state.acknowledged.count + 1
        else { throw Lost(description: "\(state.acknowledged) became \(found)") }
        try connection.close()
    }

    private func open(_ folder: String) throws -> Connection {
        let connection = try Connection(folder + "/numbers.db", vfs: PowerCutRecording.vfs)
        // Small pages: few bytes to write, and more of them in a transaction.
        try connection.setPageSize(512)
        try connection.setJournalMode(mode)
        try connection.setSynchronous(synchronous)
        try connection.execute("CREATE TABLE IF NOT EXISTS numbers(number PRIMARY KEY, padding)")
        return connection
    }
}
