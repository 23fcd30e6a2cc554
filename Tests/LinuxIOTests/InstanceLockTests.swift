import Glibc
import TestSupport
import Testing

@testable import LinuxIO

@Suite struct InstanceLockTests {
    @Test func namesTheProcessThatHoldsTheLock() throws {
        let path = try TestFolder().path("lock")
        let folder = try TestFolder()
        let held = folder.path("lock")
        let lock = try InstanceLock(path: held)
        defer { lock.release() }
        let error = #expect(throws: LinuxError.self) { try InstanceLock(path: held) }
        guard case .held(held, let holder) = error else {
            Issue.record("not held but \(String(describing: error))")
            return
        }
        #expect(holder == Holders.describe(getpid()))
        #expect("\(try #require(error))".contains("(pid \(getpid()))"))
        #expect(path != held)
    }

    @Test func letsTheNextInAfterRelease() throws {
        let folder = try TestFolder()
        let first = try InstanceLock(path: folder.path("lock"))
        first.release()
        first.release()
        try InstanceLock(path: folder.path("lock")).release()
    }

    @Test func saysWhatIsWrongWithThePath() throws {
        let folder = try TestFolder()
        let path = folder.path("none/lock")
        #expect(throws: LinuxError.system(call: "open", errno: ENOENT, path: path)) {
            try InstanceLock(path: path)
        }
    }
}
