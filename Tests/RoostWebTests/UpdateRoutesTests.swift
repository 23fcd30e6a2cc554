import ControlProtocol
import FileIO
import FoundationEssentials
import Glibc
import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import RoostWeb

@Suite struct UpdateRoutesTests {
    private let folder: TestFolder
    private let uploads: UpdateUploads

    init() throws {
        folder = try TestFolder(isInMemory: true)
        for name in [
            "state", "usr", "usr/lib", "usr/lib/roost", "usr/share", "usr/share/roost",
            "usr/share/roost/update-keys.d", "run", "run/roost-web", "data", "data/system",
        ] { mkdir(folder.path(name), 0o755) }
        uploads = UpdateUploads(state: folder.path("state"), root: folder.path)
    }

    private func write(_ text: String, _ name: String) throws {
        try Files.replace(folder.path(name), with: Array(text.utf8), mode: 0o600)
    }

    private func makeImage() throws { try write("{}", "usr/lib/roost/image.json") }

    private func isThere(_ name: String) -> Bool { access(folder.path(name), F_OK) == 0 }

    @Test func saysThatPackagesAreUpdatedByApt() async throws {
        #expect(try !uploads.view.isImage)
        let stage = RouteStage(
            UpdateRoutes(uploads).acts + UpdateRoutes(uploads).others,
            as: .owner
        )
        #expect(await stage.ask("/api/v1/update").status == .ok)
        let refused = await stage.ask("/api/v1/update/file?at=0", .post)
        #expect(refused.status == .notFound)
        #expect(!isThere("state/update/new.update.part"))
    }

    @Test(arguments: [Right.viewer, .member])
    func isTheOwnersAlone(_ right: Right) async throws {
        try makeImage()
        let routes = UpdateRoutes(uploads).acts + UpdateRoutes(uploads).others
        let stage = RouteStage(routes, as: right)
        #expect(await stage.ask("/api/v1/update").status == .forbidden)
        #expect(await stage.ask("/api/v1/update/file?at=0", .post).status == .forbidden)
        #expect(await stage.ask("/api/v1/update", .post).status == .forbidden)
        #expect(routes.allSatisfy { $0.scope == nil })
    }

    @Test func showsRootKeysAndTheLastUpdate() throws {
        try makeImage()
        try write("3\n", "run/roost-slot")
        try write(
            """
            -----BEGIN PUBLIC KEY-----
            MCowBQYDK2VwAyEAOGG63Dryg6DobOpiVU926dgvM1mzlwhn0oWje5gi2Ug=
            -----END PUBLIC KEY-----

            """,
            "usr/share/roost/update-keys.d/a.pem"
        )
        try write(#"{"state":"good","version":"0.2.0"}"#, "data/system/update.json")
        #expect(try uploads.view.slot == 3 && uploads.view.keys == ["26070ae7defa03e5"])
        #expect(try uploads.view.last?.state == .good && !uploads.view.isBusy)
        try write(#"{"state":"writing","percent":40}"#, "run/roost-update.json")
        #expect(try uploads.view.last?.percent == 40 && uploads.view.isBusy)
    }

    /// Keys that cannot be read are not shown as none.
    @Test(arguments: ["update-keys.d", "update-keys.d/a.pem"])
    func saysThatKeysCannotBeRead(name: String) async throws {
        try makeImage()
        let path = folder.path("usr/share/roost/\(name)")
        if name == "update-keys.d" { rmdir(path) }
        #expect(symlink(path, path) == 0)
        let stage = RouteStage(UpdateRoutes(uploads).others, as: .owner)
        let answer = await stage.ask("/api/v1/update")
        let text = try await RouteStage.text(answer)
        #expect(answer.status == .serviceUnavailable)
        #expect(text.contains("/usr/share/roost/\(name) cannot be read"), "\(text)")
    }

    @Test func removesAtItsStartWhatNobodyGoesOnWith() throws {
        try makeImage()
        mkdir(folder.path("state/update"), 0o700)
        try write("cut", "state/update/new.update.part")
        try write("whole", "state/update/new.update")
        try write("", "run/roost-web/update-wanted")
        _ = uploads.withoutLeftovers()
        #expect(isThere("state/update/new.update"))
        unlink(folder.path("run/roost-web/update-wanted"))
        _ = uploads.withoutLeftovers()
        #expect(!isThere("state/update/new.update") && !isThere("state/update/new.update.part"))
    }

    @Test func takesAFileInPiecesAndHandsItOver() throws {
        try makeImage()
        #expect(try uploads.add([1, 2, 3], at: 0) == 3)
        #expect(try uploads.add([4, 5], at: 3) == 5)
        #expect(throws: Problem.self) { try uploads.add([6], at: 4) }
        #expect(throws: Problem.self) { try uploads.begin(byteCount: 6) }
        #expect(!isThere("run/roost-web/update-wanted"))
        try uploads.begin(byteCount: 5)
        let whole = folder.path("state/update/new.update")
        #expect(try Files.read(whole, limit: 64 << 10) == [1, 2, 3, 4, 5])
        #expect(try isThere("run/roost-web/update-wanted") && uploads.view.isBusy)
        // Nothing is changed under the hands of the service.
        #expect(throws: Problem.self) { try uploads.add([1], at: 0) }
    }

    @Test func beginsAnewWithTheFirstPiece() throws {
        try makeImage()
        _ = try uploads.add([1, 2, 3], at: 0)
        #expect(try uploads.add([9], at: 0) == 1)
        #expect(try uploads.view.uploadedBytes == 1)
    }

    @Test func boundsTheFile() throws {
        try makeImage()
        let problem = #expect(throws: Problem.self) {
            try uploads.add([1], at: UpdateUploads.byteCountMax)
        }
        #expect(problem?.kind == .tooLarge)
        #expect(throws: Problem.self) { try uploads.begin(byteCount: 0) }
    }

    /// A piece waits for the card on the history's thread, and no other request waits for it.
    @Test func theCardIsWrittenOnTheHistorysThread() async throws {
        try makeImage()
        let history = HistoryClient(nil, folder: folder.path, logger: RouteStage.logger)
        let routes = UpdateRoutes(uploads, on: history)
        let stage = RouteStage(routes.acts + routes.others, as: .owner)
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let (reading, writing) = (ends[0], ends[1])
        defer { for end in [reading, writing] { close(end) } }
        let order = Order()
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                _ = try? await history.work {
                    var byte: UInt8 = 0
                    _ = read(reading, &byte, 1)
                    order.add("the card")
                }
            }
            group.addTask {
                _ = await stage.ask("/api/v1/update")
                order.add("the page")
            }
            for _ in 0..<1_000 { await Task.yield() }
            _ = Glibc.write(writing, [1], 1)
        }
        #expect(order.all == ["the card", "the page"])
    }

    private final class Order: Sendable {
        private let names = Mutex<[String]>([])
        var all: [String] { names.withLock { $0 } }
        func add(_ name: String) { names.withLock { $0.append(name) } }
    }
}
