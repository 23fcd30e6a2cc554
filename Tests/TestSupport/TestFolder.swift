import Glibc
import Synchronization

/// A folder of one test's own, removed with what is in it.
///
/// All folders of a run are in `/tmp/roost-tests-…`, or in `/dev/shm` when asked for. The process
/// locks that folder; a run removes those of earlier runs that were killed: nothing locks them.
package final class TestFolder: Sendable {
    package let path: String

    /// Makes an empty folder.
    ///
    /// - Parameter isInMemory: For many small files; a machine without `/dev/shm` uses `/tmp`.
    /// - Throws: `TestFolderError` when neither takes a folder.
    package init(isInMemory: Bool = false) throws(TestFolderError) {
        let run = isInMemory && access("/dev/shm", W_OK) == 0 ? TestRun.inMemory : TestRun.onDisk
        path = try TestRun.make("\(try run.get())/test-XXXXXX")
    }

    deinit { TestRun.remove(path) }

    package func path(_ name: String) -> String { "\(path)/\(name)" }
}

package struct TestFolderError: Error {
    let path: String
    let errno: Int32
}

/// The folder that all tests of this process share.
private enum TestRun {
    static let onDisk = Result { () throws(TestFolderError) in try begin("/tmp") }
    static let inMemory = Result { () throws(TestFolderError) in try begin("/dev/shm") }
    /// Folders that the end of this process removes.
    private static let begun = Mutex<[String]>([])
    private static let prefix = "roost-tests-"
    /// Seconds after which a folder without a lock belongs to no run that is just beginning.
    private static let beginningMax = 60

    private static func begin(_ place: String) throws(TestFolderError) -> String {
        for name in names(in: place) where name.hasPrefix(prefix) {
            removeIfAbandoned("\(place)/\(name)")
        }
        let path = try make("\(place)/\(prefix)XXXXXX")
        // The descriptor stays open, and the lock held, until the process ends.
        flock(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), LOCK_EX | LOCK_NB)
        begun.withLock { $0.append(path) }
        atexit { for path in TestRun.begun.withLock({ $0 }) { TestRun.remove(path) } }
        return path
    }

    static func make(_ template: String) throws(TestFolderError) -> String {
        var bytes = Array(template.utf8CString)
        let made = bytes.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
        }
        guard let made else { throw TestFolderError(path: template, errno: errno) }
        return made
    }

    private static func removeIfAbandoned(_ path: String) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var status = stat()
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, fstat(descriptor, &status) == 0,
            time(nil) - status.st_mtim.tv_sec > beginningMax
        else { return }
        remove(path)
    }

    /// Removes a folder with what is in it, or a file.
    static func remove(_ path: String) {
        if unlink(path) == 0 { return }
        for name in names(in: path) { remove("\(path)/\(name)") }
        rmdir(path)
    }

    private static func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
