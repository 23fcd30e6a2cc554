import ControlProtocol
import FileIO
import Glibc
import HTTPTypes
import Synchronization

/// SQLite copies of the history as files of the dashboard: one at a time, for an hour.
///
/// The hour counts by the machine's running time. A copy's name has that time and the boot, so a
/// wrong date neither removes nor keeps a copy. One of an earlier boot counts from this boot's
/// start.
///
/// No timer removes a copy: each request and the start remove old ones; the start also removes
/// unfinished ones of a process that was killed.
package final class CopyJobs: Sendable {
    /// Seconds that a copy is kept.
    static let keepSeconds: Int64 = 3_600
    /// Share of the card's free space that a copy may take.
    static let freeShare = 0.1

    struct Copy: Hashable, Sendable {
        let id: String
        let path: String
        let bytes: Int
        /// Seconds that it is kept for.
        let left: Int64
    }

    private let folder: String
    private let clock: WebClock
    private let isMaking = Mutex(false)

    /// - Parameters:
    ///   - folder: Of the dashboard's own files; there already.
    ///   - clock: Says when an hour is over.
    package init(folder: String, clock: WebClock = .system) {
        (self.folder, self.clock) = (folder, clock)
        // A folder that cannot be read is said at the next request.
        for name in (try? names()) ?? [] where name.hasSuffix(".part") {
            unlink("\(folder)/\(name)")
        }
        _ = try? sweep()
    }

    /// Removes what is older than an hour.
    ///
    /// - Returns: The copies that are left, the newest first.
    /// - Throws: `Problem` `store` where the folder cannot be read.
    func sweep() throws(Problem) -> [Copy] {
        var left: [Copy] = []
        for name in try names() where name.hasSuffix(".db") {
            var status = stat()
            let path = "\(folder)/\(name)"
            guard stat(path, &status) == 0 else { continue }
            let id = String(name.dropFirst(Self.prefix.count).dropLast(3))
            let time = Self.keepSeconds - age(of: id)
            guard time > 0 else {
                unlink(path)
                continue
            }
            left.append(Copy(id: id, path: path, bytes: Int(status.st_size), left: time))
        }
        return left.sorted { $0.left > $1.left }
    }

    /// Digits of an id for the boot and for the seconds since then; random ones follow.
    private static let (bootDigits, timeDigits) = (8, 8)

    private var bootMark: String {
        let digits = clock.boot.lowercased().filter { $0.isASCII && $0.isHexDigit }
        return Self.padded(String(digits.prefix(Self.bootDigits)), to: Self.bootDigits)
    }

    private func makeID() -> String {
        let time = String(UInt32(clamping: Int64(clock.uptime())), radix: 16)
        let chance = String(UInt64.random(in: .min ... .max), radix: 16)
        return bootMark + Self.padded(time, to: Self.timeDigits) + chance
    }

    /// Seconds since a copy was begun; the least for one of an earlier boot.
    private func age(of id: String) -> Int64 {
        let now = Int64(clock.uptime())
        let digits = id.dropFirst(Self.bootDigits).prefix(Self.timeDigits)
        guard id.hasPrefix(bootMark), digits.count == Self.timeDigits,
            let begun = Int64(digits, radix: 16), begun <= now
        else { return now }
        return now - begun
    }

    private static func padded(_ text: String, to count: Int) -> String {
        String(repeating: "0", count: max(0, count - text.count)) + text
    }

    func copy(_ id: String) throws(Problem) -> Copy? { try sweep().first { $0.id == id } }

    /// Takes the place of the one copy that is made at a time.
    ///
    /// - Returns: Where to write, and how many bytes at most.
    /// - Throws: `Problem` `busy` while one is made; `store` where the folder cannot be used.
    func begin() throws -> Draft {
        var room = statvfs()
        guard statvfs(folder, &room) == 0 else {
            throw Problem(.store, "\(folder) cannot be asked for its room: see dmesg for the card")
        }
        let before = try sweep()
        let isFree = isMaking.withLock { isMaking in
            defer { isMaking = true }
            return !isMaking
        }
        guard isFree else {
            throw Problem(
                .busy,
                "a copy is being made; wait for it",
                headers: [.retryAfter: "30"]
            )
        }
        for old in before { unlink(old.path) }
        let free = Double(room.f_bavail) * Double(room.f_frsize)
        let draft = Draft(self, id: makeID(), limit: Int(free * Self.freeShare))
        // Readable by its owner only, whatever the umask.
        do { _ = try Files.open(draft.path, from: .new, mode: 0o600) } catch {
            throw Problem(.store, "\(folder) takes no file (\(error.text)): see df -h")
        }
        return draft
    }

    /// A copy in progress; without `publish` its file is removed.
    final class Draft: Sendable {
        let id: String
        /// Bytes of the file at most.
        let limit: Int
        private let jobs: CopyJobs
        private let isPublished = Mutex(false)

        fileprivate init(_ jobs: CopyJobs, id: String, limit: Int) {
            (self.jobs, self.id, self.limit) = (jobs, id, limit)
        }

        deinit {
            if !isPublished.withLock({ $0 }) { unlink(path) }
            jobs.isMaking.withLock { $0 = false }
        }

        var path: String { "\(jobs.folder)/\(CopyJobs.prefix)\(id).part" }

        /// - Throws: `Problem` `conflict` when the file is larger than it may be.
        func checkSize() throws {
            var status = stat()
            guard stat(path, &status) == 0, Int(status.st_size) > limit else { return }
            throw Problem(
                .conflict,
                "the copy would take more than a tenth of the free space (\(limit) bytes); use "
                    + "`roost export --format sqlite --output` with a place on another disk"
            )
        }

        /// Gives the whole file its name.
        ///
        /// - Throws: `Problem` `store`.
        func publish() throws -> Copy {
            try checkSize()
            let final = "\(jobs.folder)/\(CopyJobs.prefix)\(id).db"
            do { try Files.publish(path, as: final) } catch {
                throw Problem(.store, "\(final) cannot be written (\(error.text)): see df -h")
            }
            isPublished.withLock { $0 = true }
            guard let copy = try jobs.copy(id) else { throw Problem(.store, "\(final) is gone") }
            return copy
        }
    }

    private static let prefix = "copy-"

    private func names() throws(Problem) -> [String] {
        do { return try Files.names(in: folder).filter { $0.hasPrefix(Self.prefix) } } catch {
            throw Problem(.store, "\(error.path) cannot be read (\(error.text)): see dmesg")
        }
    }
}
