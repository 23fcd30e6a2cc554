import Glibc
import SQLite

/// Why the accounts cannot be read or changed, with the file and the next step.
package struct WebDatabaseError: Error, Hashable, Sendable, CustomStringConvertible {
    package let path: String
    package let description: String

    private init(path: String, _ words: String) {
        self.path = path
        description = "\(path) \(words)"
    }

    /// Describes an error of SQLite, or of a change of the schema, to the owner.
    package init(_ error: any Error, path: String) {
        let words =
            switch error {
            case MigrationError.newer(let migration, _):
                "was written by a newer version (\(migration)): install that version again, "
                    + "or move the file away and run `roost claim`"
            case MigrationError.gap(let missing, _): "lacks \(missing): " + Self.moveAway
            case let error as SQLiteError: Self.text(error)
            default: "failed: \(error)"
            }
        self.init(path: path, words)
    }

    private static func text(_ error: SQLiteError) -> String {
        if error.isCorrupt {
            "is damaged (\(error.message)): " + moveAway
        } else if error.isFull {
            "finds no room on the card: free some (df -h), then try again; nothing is lost"
        } else if error.extendedCode == moved {
            "was moved or removed while it was open: restart roost-web"
        } else if error.isReadOnly {
            "may only be read: make it and its folder writable for roost-web"
        } else if error.isCannotOpen {
            "cannot be opened (\(error.message)): give it and its folder to roost-web"
        } else if error.isBusy {
            "is in use by another process: end it, then try again"
        } else {
            "failed (\(error.message), SQLite \(error.extendedCode)): see dmesg for the card"
        }
    }

    /// `SQLITE_READONLY_DBMOVED`.
    private static let moved: Int32 = 1_032

    static func unreachable(_ path: String, errno code: Int32) -> WebDatabaseError {
        let reason = String(cString: strerror(code))
        let next =
            code == ENOSPC
            ? "free some room (df -h)" : "make the folder writable for roost-web, or name --state"
        return WebDatabaseError(path: path, "cannot be made (\(reason)): \(next)")
    }

    private static let moveAway =
        "move it away (mv web.db web.db.damaged), restart roost-web, run `roost claim`; the "
        + "history is elsewhere and untouched"
}
