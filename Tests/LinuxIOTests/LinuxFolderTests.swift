import Glibc
import HardwareIO
import TestSupport
import Testing

@testable import LinuxIO

@Suite struct LinuxFolderTests {
    @Test func keepsFilesAndTheirNames() throws {
        let folder = try TestFolder()
        let files = LinuxFolder(folder.path)
        #expect(try files.read("a") == nil)
        try files.write("a", [1, 2, 3])
        try files.write("a", [4])
        try files.sync("a")
        try files.link("a", as: "b")
        try files.link("nothing", as: "c")
        try files.rename("a", to: "d")
        try files.syncFolder()
        #expect(try [files.read("a"), files.read("b"), files.read("d")] == [nil, [4], [4]])
        try files.remove("b")
        try files.remove("b")
        #expect(try [files.read("b"), files.read("c")] == [nil, nil])
    }

    @Test func refusesWhatIsNoSmallFile() throws {
        let folder = try TestFolder()
        let files = LinuxFolder(folder.path)
        let most = [UInt8](repeating: 7, count: FolderFilesLimit.byteMax)
        try files.write("most", most)
        #expect(try files.read("most") == most)
        try files.write("more", most + [7])
        #expect(throws: StorageError.self) { try files.read("more") }
        symlink("most", folder.path("link"))
        #expect(throws: StorageError.self) { try files.read("link") }
        #expect(throws: StorageError.self) { try files.write("link", []) }
        mkdir(folder.path("folder"), 0o755)
        #expect(throws: StorageError.self) { try files.read("folder") }
    }

    @Test func aFolderThatIsNotThereHasNoFilesAndTakesNone() throws {
        let folder = try TestFolder()
        let files = LinuxFolder(folder.path("none"))
        #expect(try files.read("a") == nil)
        #expect(throws: StorageError.self) { try files.write("a", []) }
    }
}
