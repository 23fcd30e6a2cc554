import Glibc
import TestSupport
import Testing

@testable import LinuxIO

@Suite struct PathWatcherTests {
    @Test func returnsAtOnceWhenThePathExists() throws {
        let folder = try TestFolder()
        let loop = try EventLoop()
        try loop.run { try await PathWatcher(on: loop).waitForPath(folder.path) }
    }

    @Test func waitsForAFileInADirectoryThatIsThere() throws {
        try wait(for: "tty") { folder in
            close(open(folder.path("other"), O_CREAT | O_RDWR, 0o600))
            await Task.yield()
            close(open(folder.path("tty"), O_CREAT | O_RDWR, 0o600))
        }
    }

    @Test func waitsForALinkThatIsMovedIntoPlace() throws {
        try wait(for: "link") { folder in
            symlink(folder.path, folder.path("temporary"))
            rename(folder.path("temporary"), folder.path("link"))
        }
    }

    @Test func waitsForDirectoriesAboveThePath() throws {
        try wait(for: "a/b/c/tty") { folder in
            for part in ["a", "a/b", "a/b/c"] {
                mkdir(folder.path(part), 0o700)
                await Task.yield()
                await Task.yield()
            }
            close(open(folder.path("a/b/c/tty"), O_CREAT | O_RDWR, 0o600))
        }
    }

    @Test func outlastsADirectoryThatGoesAway() throws {
        let folder = try TestFolder()
        mkdir(folder.path("a"), 0o700)
        try wait(for: "a/tty", in: folder) { folder in
            rmdir(folder.path("a"))
            await Task.yield()
            mkdir(folder.path("a"), 0o700)
            await Task.yield()
            close(open(folder.path("a/tty"), O_CREAT | O_RDWR, 0o600))
        }
    }

    @Test func endsWhenCancelled() throws {
        let folder = try TestFolder()
        let loop = try EventLoop()
        #expect(throws: CancellationError.self) {
            try loop.run {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        try await PathWatcher(on: loop).waitForPath(folder.path("never"))
                    }
                    await Task.yield()
                    group.cancelAll()
                    try await group.next()
                }
            }
        }
    }

    @Test func findsTheNearestDirectory() throws {
        let folder = try TestFolder()
        #expect(PathWatcher.nearest(folder.path("x/y/z")) == folder.path)
        #expect(PathWatcher.nearest("/no-such-directory/x") == "/")
    }

    private func wait(
        for name: String,
        in given: TestFolder? = nil,
        _ make: @escaping @Sendable (TestFolder) async -> Void
    ) throws {
        let folder = try given ?? TestFolder()
        let loop = try EventLoop()
        try loop.run {
            try await withThrowingDiscardingTaskGroup { group in
                group.addTask { try await PathWatcher(on: loop).waitForPath(folder.path(name)) }
                await Task.yield()
                #expect(access(folder.path(name), F_OK) != 0)
                await make(folder)
            }
        }
        #expect(access(folder.path(name), F_OK) == 0)
    }
}
