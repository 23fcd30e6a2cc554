import ArgumentParser
import ClientSupport
import FileIO
import Glibc
import LinuxIO
import StoreQueries

/// A store's folder, by option or as the only argument.
struct FolderOptions: ParsableArguments {
    @Argument(help: "The store's folder; the same as --store.")
    var folder: String?

    @Option(help: "The store's folder; /var/lib/roost, or that of the station that is asked.")
    var store: String?

    /// The folder that the user named; nil without one.
    var named: String? { store ?? folder }
    var path: String { named ?? StoreFolder.standard }

    func validate() throws {
        if folder != nil, store != nil {
            throw ValidationError("name the folder once: with --store, or as the only word")
        }
    }
}

extension StoreFolder {
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
}

/// Refuses commands while another process has a store open.
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
        guard let file = try? Files.open(historyPath, allowing: .links) else { return nil }
        var question = flock()
        question.l_type = Int16(F_WRLCK)
        question.l_whence = Int16(SEEK_SET)
        question.l_start = Self.sharedLock.offset
        question.l_len = Self.sharedLock.length
        let isKnown = withExtendedLifetime(file) { fcntl(file.descriptor, F_GETLK, &question) == 0 }
        return isKnown && question.l_type != Int16(F_UNLCK) ? question.l_pid : nil
    }

    /// Refuses while another process has the history open.
    ///
    /// - Throws: `ClientFailure` that says who, and what to do.
    func demandAlone(for command: String) throws {
        if let holder { throw busy(command, holder) }
    }

    /// Makes the failure that names the process in the way, with the next step.
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
