import CLinux
import Glibc
import HardwareIO
import Synchronization

/// A file on a tmpfs such as `/run`, mapped: a write to it is a copy in memory and no system call.
package final class SharedMemoryFile: SharedMemory {
    package let path: String
    package let byteCount: Int
    /// Whether the file lies in memory; on a card it would wear it, and the caller goes without.
    package let isInMemory: Bool

    private let mapping: UnsafeMutableRawBufferPointer
    /// Kept open for its lock.
    private let descriptor: OwnedDescriptor

    /// Opens the file, or makes it with zeros; one of another size starts again as zeros.
    ///
    /// All of its memory is allocated at once: writing to a mapped file that cannot grow kills the
    /// process. The file is locked: two processes that write to it would each read what the other
    /// wrote.
    ///
    /// - Parameters:
    ///   - path: In a folder that exists.
    /// - Throws: `StorageError`; `.held` with name and pid of who has it.
    package init(path: String, byteCount: Int) throws(StorageError) {
        func checked<Result: FixedWidthInteger & SignedInteger>(
            _ call: String,
            _ body: () -> Result
        ) throws(StorageError) -> Result {
            do { return try check(call, path: path, body) } catch {
                throw StorageError(error, path)
            }
        }
        let raw = try checked("open") { open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600) }
        let owned = OwnedDescriptor(raw)
        try FolderLock.lock(raw, path)
        var status = stat()
        _ = try checked("fstat") { fstat(raw, &status) }
        if Int(status.st_size) != byteCount { _ = try checked("ftruncate") { ftruncate(raw, 0) } }
        let code = posix_fallocate(raw, 0, off_t(byteCount))
        guard code == 0 else { throw StorageError("posix_fallocate", errno: code, path) }
        isInMemory = try checked("fstatfs") { clinux_is_in_memory(raw) } == 1
        let start = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, owned.raw, 0)
        guard let start, start != MAP_FAILED else {
            throw StorageError("mmap", errno: errno, path)
        }
        descriptor = owned
        mapping = UnsafeMutableRawBufferPointer(start: start, count: byteCount)
        self.path = path
        self.byteCount = byteCount
    }

    deinit { munmap(mapping.baseAddress, mapping.count) }

    package func read(_ range: Range<Int>) -> [UInt8] { Array(mapping[range]) }

    package func write(_ bytes: [UInt8], at offset: Int) {
        // The compiler must not move this before what was written earlier; the CPU cannot seem to.
        atomicMemoryFence(ordering: .acquiringAndReleasing)
        UnsafeMutableRawBufferPointer(rebasing: mapping[offset..<offset + bytes.count])
            .copyBytes(from: bytes)
    }
}
