import Glibc
import TestSupport
import Testing

@testable import LinuxIO

@Suite struct FileSystemTests {
    @Test func settlesTheFileSystemOfAFolderAndOfAFile() throws {
        let folder = try TestFolder()
        #expect(try FileSystem.settle(folder.path(".")) == .fileSystem)
        let file = folder.path("file")
        close(open(file, O_CREAT | O_WRONLY, 0o600))
        #expect(try FileSystem.settle(file) == .fileSystem)
    }

    @Test func namesWhatIsNotThere() throws {
        let path = try TestFolder().path("nothing")
        #expect(throws: LinuxError.system(call: "open", errno: ENOENT, path: path)) {
            try FileSystem.settle(path)
        }
    }
}
