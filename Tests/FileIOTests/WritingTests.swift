import FileIO
import Glibc
import TestSupport
import Testing

@Suite struct WritingTests {
    private static func code(_ body: () throws(FileError) -> Void) -> Int32? {
        do { try body() } catch { return error.code }
        return nil
    }

    private static func mode(_ path: String) throws -> mode_t {
        try Files.open(path).status.st_mode & 0o7777
    }

    @Test func replacesAFileInOneStep() throws {
        let folder = try TestFolder(isInMemory: true)
        let path = folder.path("a")
        // A process that was killed left it.
        try Files.append([9, 9, 9], to: folder.path(".a.new"), mode: 0o600)
        try Files.replace(path, with: [1], mode: 0o666)
        #expect(try Self.mode(path) == 0o666)
        let before = try Files.open(path)
        try Files.replace(path, with: [2, 3], mode: 0o640)
        #expect(try Files.read(path, limit: 9) == [2, 3] && Self.mode(path) == 0o640)
        #expect(try before.read(9) == [1])
        try Files.replace(path, with: [], mode: 0o640)
        #expect(try Files.read(path, limit: 9) == [])
        #expect(try Files.names(in: folder.path, hidden: true) == ["a"])
    }

    @Test func givesTheFileItsOwner() throws {
        let folder = try TestFolder(isInMemory: true)
        let owner = try #require(FileOwner(of: folder.path))
        try Files.replace(folder.path("a"), with: [1], mode: 0o600, owner: owner)
        #expect(FileOwner(of: folder.path("a")) == owner)
        #expect(FileOwner(of: folder.path("none")) == nil)
        #expect(FileOwner(named: "root")?.user == 0)
        #expect(FileOwner(named: "no such user") == nil)
    }

    @Test func replacesALinkAndNothingElse() throws {
        let folder = try TestFolder(isInMemory: true)
        let (pipe, inner, link) = (folder.path("pipe"), folder.path("inner"), folder.path("link"))
        try Files.append([7], to: folder.path("file"), mode: 0o600)
        symlink("file", link)
        #expect(mkfifo(pipe, 0o600) == 0 && mkdir(inner, 0o700) == 0)
        try Files.replace(link, with: [1], mode: 0o600)
        #expect(try Files.read(link, limit: 9) == [1])
        #expect(try Files.read(folder.path("file"), limit: 9) == [7])
        for (path, wanted) in [
            (pipe, ENOTSUP), (inner, EISDIR), (folder.path("none/a"), ENOENT),
            (folder.path("file/a"), ENOTDIR),
        ] {
            let code = Self.code { () throws(FileError) in
                try Files.replace(path, with: [1], mode: 0o600)
            }
            #expect(code == wanted, "\(path)")
        }
        let left = try Files.names(in: folder.path, hidden: true)
        #expect(left == ["file", "inner", "link", "pipe"])
    }

    @Test func aFileThatIsNotCommittedLeavesTheOldOne() throws {
        let folder = try TestFolder(isInMemory: true)
        let path = folder.path("a")
        try Files.append([7], to: path, mode: 0o600)
        do {
            let file = try NewFile(path, mode: 0o600)
            try file.write([1, 2])
            #expect(try Files.names(in: folder.path, hidden: true) == [".a.new", "a"])
        }
        #expect(try Files.names(in: folder.path, hidden: true) == ["a"])
        #expect(try Files.read(path, limit: 9) == [7])
    }

    @Test func saysThatACardIsFull() throws {
        let full = try Files.open("/dev/full", from: .start, mode: 0, allowing: .devices)
        do {
            try full.write([1])
            Issue.record("it took a byte")
        } catch {
            #expect(error.reason == .system(call: "write", code: ENOSPC))
            #expect(error.description == "/dev/full: No space left on device")
        }
    }

    @Test func appendsToAFileAndNothingElse() throws {
        let folder = try TestFolder(isInMemory: true)
        let (path, link, pipe) = (folder.path("a"), folder.path("link"), folder.path("pipe"))
        try Files.append([], to: path, mode: 0o600)
        #expect(Files.size(path) == 0)
        try Files.append([1, 2], to: path, mode: 0o600)
        try Files.append([3], to: path, mode: 0o600)
        #expect(try Files.read(path, limit: 9) == [1, 2, 3])
        symlink("a", link)
        #expect(mkfifo(pipe, 0o600) == 0)
        for (other, wanted) in [(link, ELOOP), (pipe, ENXIO), (folder.path, EISDIR)] {
            let code = Self.code { () throws(FileError) in
                try Files.append([4], to: other, mode: 0o600)
            }
            #expect(code == wanted)
        }
        try Files.append([4], to: link, mode: 0o600, allowing: .links)
        #expect(try Files.read(path, limit: 9) == [1, 2, 3, 4])
    }

    @Test func beginsToWriteWhereItIsAskedTo() throws {
        let folder = try TestFolder(isInMemory: true)
        let path = folder.path("a")
        let none = Self.code { () throws(FileError) in
            _ = try Files.open(path, from: .start, mode: 0)
        }
        #expect(none == ENOENT)
        let new = try Files.open(path, from: .new, mode: 0o600)
        try new.write([1, 2, 3])
        #expect(try new.bytes(at: 0, count: 9) == [1, 2, 3])
        let again = Self.code { () throws(FileError) in
            _ = try Files.open(path, from: .new, mode: 0o600)
        }
        #expect(again == EEXIST)
        try Files.open(path, from: .start, mode: 0).write([9])
        #expect(try Files.read(path, limit: 9) == [9, 2, 3])
        try Files.open(path, from: .empty, mode: 0o600).write([8])
        #expect(try Files.read(path, limit: 9) == [8])
    }

    @Test func publishesWhatIsWritten() throws {
        let folder = try TestFolder(isInMemory: true)
        let (part, path) = (folder.path("a.part"), folder.path("a"))
        try Files.append([1], to: part, mode: 0o600)
        try Files.publish(part, as: path)
        #expect(try Files.names(in: folder.path) == ["a"])
        let code = Self.code { () throws(FileError) in try Files.publish(part, as: path) }
        #expect(code == ENOENT)
        #expect(try Files.read(path, limit: 9) == [1])
    }
}
