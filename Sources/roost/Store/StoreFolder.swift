import ArgumentParser
import ClientSupport
import Glibc
import HardwareIO
import LinuxIO
import SQLite
import Store

/// The files of a store in one folder.
struct StoreFolder {
    static let standard = "/var/lib/roost"

    let path: String

    var journalPath: String { path + "/journal.ring" }
    /// The partition that the station used last, by the link that notes it; nil without one.
    var journalPartition: String? {
        let note = "\(path)/\(JournalPartition.noteName)"
        guard access(note, F_OK) == 0, let found = realpath(note, nil) else { return nil }
        defer { free(found) }
        return String(cString: found)
    }
    /// Where what waits for the history is.
    var ringPath: String {
        access(journalPath, F_OK) == 0 ? journalPath : journalPartition ?? journalPath
    }
    var historyPath: String { path + "/history.db" }

    /// Opens the history for reading; the daemon may be writing.
    ///
    /// - Throws: `ClientFailure`.
    func reader() throws -> HistoryReader {
        do { return try HistoryReader(path: historyPath) } catch { throw failure(error) }
    }

    /// Makes the folder where there is none.
    ///
    /// - Returns: Whether there was none.
    /// - Throws: `ClientFailure`.
    func make() throws -> Bool {
        if mkdir(path, 0o755) == 0 { return true }
        guard errno == EEXIST else { throw FileBytes.failure(path, "cannot be made") }
        guard access(path + "/.", F_OK) == 0 else { throw FileBytes.failure(path, "is no folder") }
        return false
    }

    /// What went wrong, with the file and the next step.
    func failure(_ error: StoreError) -> ClientFailure {
        guard case .database(let found) = error else {
            return ClientFailure(message: "\(error)", exitCode: 1)
        }
        let message: String
        switch found.code {
        case 14 where Permission.isMissing(historyPath): return Permission.failure(historyPath)
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
        return ClientFailure(message: message, exitCode: 1)
    }
}

/// Runs a body and turns the store's errors into messages.
func withStore<Value>(_ folder: StoreFolder, _ body: () throws -> Value) throws -> Value {
    do { return try body() } catch let error as StoreError { throw folder.failure(error) }
}

/// Who has a store open, and how to be alone with it.
extension StoreFolder {
    /// Where SQLite's shared lock lies in a database file, and how long it is.
    ///
    /// - Source: SQLite, *File Locking And Concurrency*; `PENDING_BYTE` in `sqliteInt.h`.
    private static let sharedLock = (offset: off_t(0x4000_0002), length: off_t(510))

    /// Another process that has the history open, by number; asks the kernel and writes nothing.
    ///
    /// Only while this process has it not: closing any descriptor of a file drops all locks that
    /// the process has on it, SQLite's too.
    var holder: Int32? {
        let descriptor = open(historyPath, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var question = flock()
        question.l_type = Int16(F_WRLCK)
        question.l_whence = Int16(SEEK_SET)
        question.l_start = Self.sharedLock.offset
        question.l_len = Self.sharedLock.length
        guard fcntl(descriptor, F_GETLK, &question) == 0, question.l_type != Int16(F_UNLCK) else {
            return nil
        }
        return question.l_pid
    }

    /// Refuses while another process has the history open.
    ///
    /// - Throws: `ClientFailure` that says who, and what to do.
    func demandAlone(for command: String) throws {
        if let holder { throw busy(command, holder) }
    }

    /// Who is in the way, and what to do.
    func busy(_ command: String, _ holder: Int32?) -> ClientFailure {
        let who = holder.map(Holders.describe) ?? "another program"
        let message =
            "\(historyPath): \(who) has it open; stop the station (`sudo systemctl stop roostd`, "
            + "or SIGTERM to roostd), run `roost \(command)` again, and start it"
        return ClientFailure(message: message, exitCode: 1)
    }

    /// Gives a file that we made as root to the folder's owner, as far as that is allowed: the
    /// station must be able to open it.
    func giveToOwner(_ file: String) {
        var status = stat()
        guard geteuid() == 0, stat(path, &status) == 0 else { return }
        _ = chown(file, status.st_uid, status.st_gid)
    }
}
