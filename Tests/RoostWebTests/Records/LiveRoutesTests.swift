import ControlProtocol
import HTTPTypes
import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import RoostWeb

@Suite struct LiveRoutesTests {
    private static func report(_ live: LivePictureReport?) -> EyesReport {
        var report = RecordsStage.report
        report.live = live
        return report
    }

    @Test func membersWatchAndTokensDoNot() async throws {
        let stage = try RecordsStage([], pictures: nil)
        let live = LivePicture(LiveStream { _ in nil }, logger: RouteStage.logger)
        let camera = stage.camera(Self.report(LivePictureReport(.ready)), live: live)
        let accounts = try AccountsStage(audited: { LiveRoutes(camera, $0.looks).all })
        let anna = try await accounts.claim()
        let ben = try await accounts.signUp("Ben", .member, by: anna)
        let eve = try await accounts.signUp("Eve", .viewer, by: anna)
        #expect(await accounts.ask(.get, "/camera").status == 401)
        #expect(await accounts.ask(.get, "/camera/live").status == 401)
        let seen = await accounts.ask(.get, "/camera", as: eve)
        #expect(seen.status == 200 && seen.body.contains("\"mayLook\":false"))
        #expect(await accounts.ask(.get, "/camera/live", as: eve).status == 403)
        let body = #"{"name":"script","scopes":["read","write"],"days":1}"#
        let token = await accounts.ask(.post, "/tokens", body, as: anna).text("token")
        #expect(await accounts.ask(.get, "/camera/live", as: Browser(token: token)).status == 403)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await live.run() }
            for browser in [anna, ben, ben] {
                let answer = await accounts.response(.get, "/camera/live?turn=1", as: browser)
                let body = try await RouteStage.bytes(answer)
                #expect(answer.status == .ok && !body.isEmpty)
                #expect(answer.headers[.cacheControl] == "no-store")
                let type = answer.headers[.contentType]
                #expect(type?.hasPrefix("multipart/x-mixed-replace") == true)
            }
            group.cancelAll()
        }
        let audit = await accounts.ask(.get, "/audit", as: anna).body
        let lines = audit.split(separator: "\"action\":\"").filter { $0.hasPrefix("live-picture") }
        #expect(lines.count == 2)
    }

    @Test func eachStateIsSaid() async throws {
        let stage = try RecordsStage([], pictures: nil)
        func state(_ report: EyesReport?) async throws -> String {
            let routes = LiveRoutes(stage.camera(report), nil).all
            return try await RouteStage.text(await RouteStage(routes).ask("/api/v1/camera"))
        }
        let none = try await state(nil)
        #expect(none.contains("\"camera\":\"off\"") && none.contains("\"state\":\"off\""))
        let off = try await state(Self.report(nil))
        #expect(off.contains("\"camera\":\"on\"") && off.contains("\"state\":\"off\""))
        for kind in LivePictureReport.State.allCases {
            let report = Self.report(LivePictureReport(kind, why: "so"))
            let words = try await state(report)
            #expect(words.contains("\"state\":\"\(kind.rawValue)\""))
            #expect(words.contains("\"why\":\"so\""))
        }
    }

    /// A stream that a test feeds.
    private final class Source: Sendable {
        let opened = Mutex(0)
        private let take = Mutex<(@Sendable ([UInt8]) -> Void)?>(nil)
        private let (events, wake) = AsyncStream<Void>.makeStream()
        private let end = Mutex<AsyncStream<Void>.Continuation?>(nil)

        var stream: LiveStream {
            LiveStream { take in
                let (ends, end) = AsyncStream<Void>.makeStream()
                self.opened.withLock { $0 += 1 }
                self.end.withLock { $0 = end }
                self.take.withLock { $0 = take }
                self.wake.yield()
                for await _ in ends {}
                self.take.withLock { $0 = nil }
                self.wake.yield()
                return LivePictureReport(.hot)
            }
        }

        func change() async { for await _ in events { return } }
        func send(_ frame: [UInt8]) { take.withLock { $0?(frame) } }
        func finish() { end.withLock { $0?.finish() } }
    }

    private static func parts(of number: UInt8) -> [UInt8] {
        Array("Content-Type: image/jpeg\r\nContent-Length: 1\r\n\r\n".utf8) + [number]
            + Array("\r\n--\(LivePicture.boundary)\r\n".utf8)
    }

    /// One viewer, who leaves after some pieces; nil for one who stays to the end.
    private static func watch(
        _ live: LivePicture,
        pieces limit: Int?,
        _ heard: AsyncStream<Void>.Continuation
    ) async throws -> [UInt8] {
        let pieces = Mutex<[[UInt8]]>([])
        do {
            let always: @Sendable () async -> Bool = { true }
            try await live.serve(while: always) { piece in
                let count = pieces.withLock { pieces in
                    pieces.append(piece)
                    return pieces.count
                }
                heard.yield()
                if count == limit { throw CancellationError() }
            }
        } catch is CancellationError {}
        return pieces.withLock { Array($0.joined()) }
    }

    @Test func oneReaderServesAllAndEndsWithTheLast() async throws {
        let source = Source()
        let live = LivePicture(source.stream, logger: RouteStage.logger)
        let whole = Array("--\(LivePicture.boundary)\r\n".utf8) + (1...3).flatMap(Self.parts)
        try await withThrowingTaskGroup(of: [UInt8].self) { group in
            group.addTask {
                await live.run()
                return whole
            }
            for turn in 1...3 {
                let (seen, heard) = AsyncStream<Void>.makeStream()
                // In the second turn the stream ends before its viewers do.
                let limit = turn == 2 ? nil : 4
                for _ in 0..<3 {
                    group.addTask { try await Self.watch(live, pieces: limit, heard) }
                }
                var iterator = seen.makeAsyncIterator()
                await source.change()
                for _ in 0..<3 { await iterator.next() }
                for number in 1...3 as ClosedRange<UInt8> {
                    source.send([number])
                    for _ in 0..<3 { await iterator.next() }
                }
                if turn == 2 { source.finish() }
                for _ in 0..<3 {
                    let body = try await group.next()
                    #expect(body == whole)
                }
                await source.change()
                #expect(source.opened.withLock { $0 } == turn)
                #expect(live.viewerCount == 0)
            }
            group.cancelAll()
        }
    }

    @Test func oneViewerTooManyIsRefused() async throws {
        let live = LivePicture(LiveStream { _ in nil }, logger: RouteStage.logger)
        let stage = try RecordsStage([], pictures: nil)
        let routes = RouteStage(LiveRoutes(stage.camera(live: live), nil).all, as: .owner)
        await withTaskGroup(of: Void.self) { group in
            let (seen, heard) = AsyncStream<Void>.makeStream()
            for _ in 0..<LivePicture.viewerMax {
                group.addTask { _ = try? await Self.watch(live, pieces: nil, heard) }
            }
            var iterator = seen.makeAsyncIterator()
            for _ in 0..<LivePicture.viewerMax { await iterator.next() }
            let answer = await routes.ask("/api/v1/camera/live")
            #expect(answer.status == .serviceUnavailable)
            group.cancelAll()
        }
    }

    @Test(arguments: 1...12) func messagesComeInPieces(size: Int) throws {
        let frame = LivePictureMessage.frame([1, 2, 3, 4])
        let last = LivePictureMessage.state(LivePictureReport(.hot, why: "80 °C"))
        let bytes = try frame.encoded() + frame.encoded() + last.encoded()
        var buffer = ByteBuffer()
        var found: [LivePictureMessage] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            buffer.writeBytes(bytes[start..<min(start + size, bytes.count)])
            while let message = try LiveStream.next(&buffer) { found.append(message) }
        }
        #expect(found == [frame, frame, last])
        var garbage = ByteBuffer(bytes: [0x47, 0, 0, 0, 0])
        #expect(throws: Problem.self) { try LiveStream.next(&garbage) }
    }
}
