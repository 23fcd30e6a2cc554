import SQLite

/// How far the schema of a history has come, as one number.
///
/// A program reads a history with at most as many steps as it knows; of one with more it makes
/// a copy and leaves the file alone. An image's update is checked against it before its writing.
package enum StoreSchema {
    /// Steps that this program knows.
    package static let stepCount = HistorySchema.migrations(StorePlan()).stepCount

    /// Steps that a history has; nil when there is none, or it cannot be read.
    package static func stepCount(of path: String) -> Int? {
        guard let connection = try? Connection(path, mode: .readOnly),
            let count: Int = try? connection.scalar("SELECT count(*) FROM migrations")
        else { return nil }
        return count
    }
}
