import Glibc
import HTTPTypes
import SQLite
import StoreFixtures
import Synchronization
import TestSupport
import Testing

@testable import RoostWeb

@Suite struct CopyRoutesTests {
    private struct Site {
        let fixture: QueryFixture
        let folder: TestFolder
        let stage: RouteStage

        init(_ clock: WebClock = .system) throws {
            fixture = try QueryFixture([
                QueryFixture.Boot(started: "2026-04-14T00:00:00Z", minutes: 180)
            ])
            folder = try TestFolder()
            let client = HistoryClient(nil, folder: fixture.path, logger: RouteStage.logger)
            let jobs = CopyJobs(folder: folder.path, clock: clock)
            let routes = HistoryRoutes(client, nil, name: "balcony", copies: jobs).all
            stage = RouteStage(routes, as: .owner)
        }

        func make() async throws -> String {
            let answer = await stage.ask("/api/v1/copies", .post)
            #expect(answer.status == .created)
            return try #require(answer.headers[.location])
        }
    }

    @Test func aCopyIsADatabaseOfAllReadings() async throws {
        let site = try Site()
        let place = try await site.make()
        let answer = await site.stage.ask(place)
        #expect(answer.headers[.contentType] == "application/vnd.sqlite3")
        let whole = try await RouteStage.bytes(answer)
        #expect(answer.headers[.contentLength] == "\(whole.count)")
        let path = site.folder.path("taken.db")
        let file = try #require(fopen(path, "w"))
        #expect(fwrite(whole, 1, whole.count, file) == whole.count)
        fclose(file)
        let connection = try Connection(path, mode: .readOnly)
        let count: Int = try connection.scalar("SELECT count(*) FROM readings") ?? 0
        #expect(count == 360)
        let part = await site.stage.ask(place, .get, [.range: "bytes=4096-8191"])
        #expect(part.status == .partialContent)
        #expect(try await RouteStage.bytes(part) == Array(whole[4_096..<8_192]))
    }

    @Test func oneIsKeptAndForAnHour() async throws {
        let later = Mutex<Int64>(0)
        let uptime: @Sendable () -> Double = { Double(1_000 + later.withLock { $0 }) }
        let site = try Site(WebClock(boot: "b", uptime: uptime, seconds: { 0 }))
        let first = try await site.make()
        let second = try await site.make()
        #expect(await site.stage.ask(first).status == .gone)
        #expect(await site.stage.ask(second).status == .ok)
        later.withLock { $0 = CopyJobs.keepSeconds + 5 }
        #expect(await site.stage.ask(second).status == .gone)
        #expect(access(site.folder.path("copy-" + second.dropFirst(15) + ".db"), F_OK) != 0)
    }

    /// The date goes back a year, ahead a year, and the file has another one.
    @Test func noDateRemovesACopyOrKeepsOne() async throws {
        let date = Mutex<Int64>(1_900_000_000)
        let uptime = Mutex(1_000.0)
        let clock = WebClock(
            boot: "4f1c",
            uptime: { uptime.withLock { $0 } },
            seconds: { date.withLock { $0 } }
        )
        let site = try Site(clock)
        let place = try await site.make()
        for step: Int64 in [-31_536_000, 63_072_000, -31_536_000] {
            date.withLock { $0 += step }
            #expect(await site.stage.ask(place).status == .ok)
        }
        // A process that starts within the hour, as one does after ten minutes without a visitor.
        uptime.withLock { $0 += 3_000 }
        let path = site.folder.path("copy-" + place.dropFirst(15) + ".db")
        #expect(utime(path, nil) == 0)
        #expect(try CopyJobs(folder: site.folder.path, clock: clock).sweep().map(\.left) == [600])
        uptime.withLock { $0 += 700 }
        #expect(try CopyJobs(folder: site.folder.path, clock: clock).sweep().isEmpty)
    }

    /// A copy of an earlier boot is at least as old as the present boot.
    @Test func aCopyOfAnEarlierBootGoesWithinAnHour() async throws {
        let site = try Site(WebClock(boot: "1a", uptime: { 90_000 }, seconds: { 0 }))
        _ = try await site.make()
        func left(_ uptime: Double) throws -> [Int64] {
            let clock = WebClock(boot: "2b", uptime: { uptime }, seconds: { 0 })
            return try CopyJobs(folder: site.folder.path, clock: clock).sweep().map(\.left)
        }
        #expect(try left(60) == [3_540])
        #expect(try left(3_600).isEmpty)
    }

    /// A start removes unfinished copies of a process that was killed.
    @Test func aStartRemovesWhatWasNotFinished() throws {
        let folder = try TestFolder()
        for name in ["copy-1.part", "copy-2.db", "other.part"] {
            let file = try #require(fopen(folder.path(name), "w"))
            fclose(file)
        }
        // `copy-2` is of a version whose ids said nothing of their time.
        let clock = WebClock(boot: "", uptime: { 4_000 }, seconds: { 0 })
        _ = CopyJobs(folder: folder.path, clock: clock)
        #expect(access(folder.path("copy-1.part"), F_OK) != 0)
        #expect(access(folder.path("copy-2.db"), F_OK) != 0)
        #expect(access(folder.path("other.part"), F_OK) == 0)
    }

    /// A copy that is there looks as if its hour were over, unless the reason is said.
    @Test func aFolderThatCannotBeReadIsSaid() async throws {
        let site = try Site()
        let place = try await site.make()
        let path = site.folder.path
        #expect(rename(path, path + ".before") == 0 && symlink(path, path) == 0)
        let answer = await site.stage.ask(place)
        #expect(unlink(path) == 0 && rename(path + ".before", path) == 0)
        #expect(answer.status == .serviceUnavailable)
        let text = String(decoding: try await RouteStage.bytes(answer), as: UTF8.self)
        #expect(text.contains("\(path) cannot be read"))
        #expect(await site.stage.ask(place).status == .ok)
    }

    @Test func aDraftThatFailsLeavesNothing() throws {
        let folder = try TestFolder()
        let jobs = CopyJobs(folder: folder.path)
        do {
            let draft = try jobs.begin()
            #expect(throws: Problem.self) { _ = try jobs.begin() }
            var status = stat()
            #expect(stat(draft.path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        }
        #expect(try jobs.sweep().isEmpty)
        // Nor a place that stays taken.
        _ = try jobs.begin()
    }

    @Test func withoutAFolderItIsNotOffered() async throws {
        let client = HistoryClient(nil, folder: "/nonexistent", logger: RouteStage.logger)
        let stage = RouteStage(HistoryRoutes(client, nil, name: "balcony").all, as: .owner)
        #expect(await stage.ask("/api/v1/copies", .post).status == .notFound)
        #expect(await stage.ask("/api/v1/copies/1").status == .notFound)
    }
}
