import Glibc
import HardwareIO
import TestSupport
import Testing

@testable import LinuxIO

@Suite struct FolderLockTests {
    @Test func aSecondOneIsRefusedUntilTheFirstIsGone() throws {
        let folder = try TestFolder()
        var first: FolderLock? = try FolderLock(path: folder.path)
        let error = #expect(throws: StorageError.self) { try FolderLock(path: folder.path) }
        guard case .held(folder.path, let holder) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(first != nil && holder == Holders.describe(getpid()))
        #expect(throws: StorageError.self) { try FolderLock.demandFree(folder.path) }
        first = nil
        _ = try FolderLock(path: folder.path)
    }

    @Test func aFolderThatIsMadeInPlaceOfAnotherIsAnother() throws {
        let folder = try TestFolder()
        let path = folder.path("store")
        mkdir(path, 0o755)
        let before = try #require(FolderLock.identity(of: path))
        #expect(FolderLock.identity(of: path) == before)
        rmdir(path)
        // File systems date what they make by a coarse clock, which goes on in ticks, and never
        // before a finer stamp they gave: what is made once that clock has passed is younger.
        func nanoseconds(_ clock: clockid_t) -> Int {
            var now = timespec()
            clock_gettime(clock, &now)
            return now.tv_sec * 1_000_000_000 + now.tv_nsec
        }
        let made = nanoseconds(CLOCK_REALTIME)
        while nanoseconds(CLOCK_REALTIME_COARSE) <= made {}
        mkdir(path, 0o755)
        let after = try #require(FolderLock.identity(of: path))
        #expect(after != before)
    }

    @Test func aMirrorHasOneProcessAlone() throws {
        let folder = try TestFolder()
        let path = folder.path("x.tail")
        let memory = try SharedMemoryFile(path: path, byteCount: 256)
        #expect(throws: StorageError.self) { try SharedMemoryFile(path: path, byteCount: 256) }
        #expect(memory.byteCount == 256)
    }
}
