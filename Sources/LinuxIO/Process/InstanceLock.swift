import FileIO
import Glibc
import Synchronization

/// Keeps a second node away: a lock that the kernel drops when its process ends, however it ends.
package final class InstanceLock: Sendable {
    package let path: String
    private let descriptor: Mutex<OwnedDescriptor?>

    /// Acquires the lock and writes this process's number into the file.
    ///
    /// The file stays: removing it would let two processes hold locks on two files of one name.
    ///
    /// - Throws: `LinuxError.held` with name and pid of who has it.
    package init(path: String) throws(LinuxError) {
        let raw = try check("open", path: path) {
            open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        }
        let owned = OwnedDescriptor(raw)
        guard flock(raw, LOCK_EX | LOCK_NB) == 0 else {
            guard errno == EWOULDBLOCK else {
                throw .system(call: "flock", errno: errno, path: path)
            }
            let holder = Files.line(path).flatMap { Int32($0) }
            throw .held(path: path, holder: holder.map(Holders.describe))
        }
        try check("ftruncate", path: path) { ftruncate(raw, 0) }
        let text = Array("\(getpid())\n".utf8)
        try check("write", path: path) { pwrite(raw, text, text.count, 0) }
        self.path = path
        descriptor = Mutex(owned)
    }

    /// Releases the lock; safe to call twice.
    package func release() {
        guard let owned = descriptor.withLock({ $0.take() }) else { return }
        _ = ftruncate(owned.raw, 0)
    }
}
