import Glibc
import HardwareIO
import SQLite
import Store

/// Why a store cannot be read, with the file and the next step.
package struct StoreUnreadable: Error, CustomStringConvertible {
    package let message: String
    /// Whether it is for want of permission.
    package var isForbidden = false

    package var description: String { message }
}

/// The files of a store in one folder.
package struct StoreFolder: Hashable, Sendable {
    package static let standard = "/var/lib/roost"

    package let path: String

    package init(path: String) { self.path = path }

    package var journalPath: String { path + "/journal.ring" }
    /// The partition that the station used last, by the link that notes it; nil without one.
    package var journalPartition: String? {
        let note = "\(path)/\(JournalPartition.noteName)"
        guard access(note, F_OK) == 0, let found = realpath(note, nil) else { return nil }
        defer { free(found) }
        return String(cString: found)
    }
    /// Path of the journal, whose blocks wait for the history.
    package var ringPath: String {
        access(journalPath, F_OK) == 0 ? journalPath : journalPartition ?? journalPath
    }
    package var historyPath: String { path + "/history.db" }

    /// Bytes that history and journal take on the card.
    package var byteCount: Int {
        [historyPath, historyPath + "-wal", ringPath].reduce(0) { sum, path in
            var status = stat()
            return sum + (stat(path, &status) == 0 ? Int(status.st_size) : 0)
        }
    }

    /// Reads; a failure of the store becomes a message with the next step.
    ///
    /// - Throws: `StoreUnreadable`; what else `body` throws.
    package func reading<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch let error as StoreError { throw unreadable(error) }
    }

    /// Opens the history for reading; the daemon may be writing.
    ///
    /// - Parameters:
    ///   - tail: Records that are not in it yet.
    ///   - tell: Receives what is left out, and why.
    /// - Returns: The reader.
    /// - Throws: `StoreUnreadable`.
    package func reader(
        tail: HistoryTail = HistoryTail(),
        tell: (String) -> Void = { _ in }
    ) throws(StoreUnreadable) -> HistoryReader {
        do {
            let reader = try HistoryReader(path: historyPath, tail: tail)
            if reader.omitsLog {
                tell(
                    "\(historyPath): its log cannot be read, since the card is full or read-only; "
                        + "what it holds is not shown"
                )
            }
            return reader
        } catch { throw unreadable(error) }
    }

    /// Reads the records that wait in this folder's journal; none when it is elsewhere.
    ///
    /// - Parameter tell: Receives why the journal cannot be read.
    /// - Returns: The records that are not in the history.
    package func journalTail(tell: (String) -> Void) throws(StoreUnreadable) -> HistoryTail {
        let reader = try reader()
        let (cursor, newest): (UInt64, GapMark.Place?)
        do { (cursor, newest) = (try reader.cursor(), try reader.newestPlace()) } catch {
            throw unreadable(error)
        }
        guard access(ringPath, F_OK) == 0 else { return HistoryTail() }
        do {
            let ring = try RingFile(path: ringPath, blockSize: Journal.standardBlockSize)
            return try Journal(ring, reusableUpTo: cursor).tail(after: cursor, newest)
        } catch {
            tell("\(ringPath): \(error); what waits in it is not shown")
            return HistoryTail()
        }
    }

    /// Whether another path leads to the same folder.
    package func isSame(as other: String) -> Bool {
        var (mine, theirs) = (stat(), stat())
        guard stat(path, &mine) == 0, stat(other, &theirs) == 0 else { return false }
        return mine.st_dev == theirs.st_dev && mine.st_ino == theirs.st_ino
    }

    /// Describes a failure of the store, with the file and the next step.
    package func unreadable(_ error: StoreError) -> StoreUnreadable {
        guard case .database(let found) = error else { return StoreUnreadable(message: "\(error)") }
        let message: String
        switch found.code {
        case 14 where Permission.isMissing(historyPath):
            return StoreUnreadable(message: Permission.text(historyPath), isForbidden: true)
        case 14 where access(historyPath, F_OK) != 0:
            message =
                "\(historyPath): there is no history; name the store's folder, "
                + "or make one with `roost store replay` or a running station"
        case 14: message = "\(historyPath): cannot be opened; use sudo, or join the store's group"
        case 5, 6: message = "\(historyPath): another program holds it; try again"
        case 11, 26:
            message =
                "\(historyPath): \(found.message); `roost store check \(path)` says more, "
                + "and the station sets it aside at its next start"
        default: message = "\(found)"
        }
        return StoreUnreadable(message: message)
    }
}
