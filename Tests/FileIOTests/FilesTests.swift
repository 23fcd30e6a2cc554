import FileIO
import Glibc
import TestSupport
import Testing

@Suite struct FilesTests {
    private static func reason(_ body: () throws(FileError) -> Void) -> FileError.Reason? {
        do { try body() } catch { return error.reason }
        return nil
    }

    // MARK: - Reading

    @Test(arguments: [0, 1, 16_384, 40_000])
    func readsAFileWholeOrNotAtAll(_ count: Int) throws {
        let folder = try TestFolder(isInMemory: true)
        let file = folder.path("a")
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try Files.replace(file, with: bytes, mode: 0o600)
        #expect(try Files.read(file, limit: count) == bytes)
        #expect(try Files.readIfThere(file, limit: count + 1) == bytes)
        #expect(Files.start(of: file, limit: max(0, count - 1)) == Array(bytes.dropLast()))
        #expect(Files.size(file) == count)
        guard count > 0 else { return }
        let reason = Self.reason { () throws(FileError) in
            _ = try Files.read(file, limit: count - 1)
        }
        #expect(reason == .tooLong(limit: count - 1))
    }

    /// A pipe without a writer would block a reader that does not refuse it.
    @Test func refusesWhatIsNoFileWithoutWaiting() throws {
        let folder = try TestFolder(isInMemory: true)
        let (pipe, link, file) = (folder.path("pipe"), folder.path("link"), folder.path("file"))
        #expect(mkfifo(pipe, 0o600) == 0)
        try Files.append([7], to: file, mode: 0o600)
        symlink("file", link)
        for (path, wanted) in [
            (pipe, FileError.Reason.special), (folder.path, .folder), ("/dev/zero", .special),
            (link, .system(call: "open", code: ELOOP)),
        ] {
            let reason = Self.reason { () throws(FileError) in _ = try Files.read(path, limit: 9) }
            #expect(reason == wanted, "\(path)")
        }
        #expect(Files.text(pipe) == nil && Files.text(folder.path) == nil)
        #expect(try Files.read(link, limit: 9, allowing: .links) == [7])
        #expect(try Files.open("/dev/zero", allowing: .devices).read(3) == [0, 0, 0])
    }

    @Test func knowsWhatIsNotThere() throws {
        let folder = try TestFolder(isInMemory: true)
        try Files.append([7], to: folder.path("file"), mode: 0o600)
        for name in ["none", "none/a", "file/a"] {
            let path = folder.path(name)
            #expect(try Files.readIfThere(path, limit: 9) == nil)
            #expect(Files.text(path) == nil && Files.line(path) == nil)
            do {
                _ = try Files.read(path, limit: 9)
                Issue.record("\(name) was read")
            } catch {
                #expect(error.isAbsent && error.description.hasPrefix("\(path): "))
            }
        }
        #expect(Files.size(folder.path("none")) == nil)
    }

    @Test func givesTheFirstLineOfAText() throws {
        let folder = try TestFolder(isInMemory: true)
        for (text, line) in [
            ("a b\nc\n", "a b"), ("a\0", "a"), ("", nil), ("\nb", nil), ("a", "a"),
        ] {
            let path = folder.path("text")
            try Files.replace(path, with: Array(text.utf8), mode: 0o600)
            #expect(Files.line(path) == line && Files.text(path) == text)
        }
    }

    @Test func readsASecretOnlyWhereNoOtherUserCan() throws {
        let folder = try TestFolder(isInMemory: true)
        let file = folder.path("key")
        #expect(try Files.readSecret(file, limit: 9) == nil)
        for (mode, isShared) in [(0o600, false), (0o400, false), (0o640, true), (0o604, true)] {
            try Files.replace(file, with: [1, 2], mode: mode_t(mode))
            let reason = Self.reason { () throws(FileError) in
                let found = try Files.readSecret(file, limit: 2)
                #expect(found == [1, 2])
            }
            #expect(reason == (isShared ? .shared(mode: mode_t(mode)) : nil))
        }
        let text = FileError(file, .shared(mode: 0o640)).description
        #expect(text.contains("mode 0640") && text.hasSuffix("chmod 600 \(file)"))
    }

    @Test func readsFromAPlace() throws {
        let folder = try TestFolder(isInMemory: true)
        let path = folder.path("a")
        try Files.replace(path, with: [0, 1, 2, 3, 4], mode: 0o600)
        let file = try Files.open(path)
        #expect(try file.bytes(at: 1, count: 3) == [1, 2, 3])
        #expect(try file.bytes(at: 3, count: 3) == [3, 4])
        #expect(try file.bytes(at: 5, count: 3) == [])
        #expect(try file.next(2) == [0, 1])
        #expect(try file.read(9) == [2, 3, 4] && file.next(2) == [])
    }

    // MARK: - Folders

    @Test func listsTheNamesOfAFolderInOrder() throws {
        let folder = try TestFolder(isInMemory: true)
        for name in ["b", "a", ".c", "ä"] {
            try Files.append([], to: folder.path(name), mode: 0o600)
        }
        #expect(try Files.names(in: folder.path) == ["a", "b", "ä"])
        #expect(try Files.names(in: folder.path, hidden: true) == [".c", "a", "b", "ä"])
        #expect(try Files.names(in: folder.path, limit: 1).count == 1)
        let (none, file) = (folder.path("none"), folder.path("a"))
        #expect(
            Self.reason { () throws(FileError) in _ = try Files.names(in: none) }
                == .system(call: "opendir", code: ENOENT)
        )
        #expect(
            Self.reason { () throws(FileError) in _ = try Files.names(in: file) }
                == .system(call: "opendir", code: ENOTDIR)
        )
    }

    @Test func takesPathsApart() throws {
        let folder = try TestFolder(isInMemory: true)
        symlink("to/some", folder.path("link"))
        #expect(Files.target(of: folder.path("link")) == "to/some")
        #expect(Files.target(of: folder.path) == nil)
        for (path, wanted) in [("/a/b", "/a"), ("/a", "/"), ("a", "."), ("a/b", "a")] {
            #expect(Files.folder(of: path) == wanted)
        }
    }
}
