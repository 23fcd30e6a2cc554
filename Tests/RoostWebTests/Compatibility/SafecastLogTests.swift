import HTTPTypes
import StoreFixtures
import StoreQueries
import Testing

@testable import RoostWeb

/// A log goes out in pieces, and one at a time: visitors of the network hold no memory.
@Suite struct SafecastLogTests {
    private let fixture: DriveFixture
    private let responder: WebResponder

    init() throws {
        var boot = DriveFixture.Boot("2026-11-22T04:30:00Z")
        boot.marks = [.begun(100, "ride"), .ended(1_900, "ride")]
        let rows = (0..<2_000).map {
            DriveFixture.row(Int64($0), 30, (462_512_000 + Int64($0), 95_123_000))
        }
        boot.samples = [(DriveFixture.counter, rows)]
        boot.stopped = 2_000
        fixture = try DriveFixture([boot])
        let logger = FaceStage.logger
        let client = HistoryClient(nil, folder: fixture.path, logger: logger)
        let sources = FaceSources(client, nil, nil, name: "b", zone: .utc, logger: logger)
        let faces = Faces(FaceSettings([.safecast: FaceSettings.Entry()]), sources)
        let gate = Gate(
            RouteTable(faces.routes),
            hosts: HostNames(["balcony"]),
            doorman: OpenAuthenticator(.viewer)
        )
        responder = WebResponder(gate, logger: logger)
    }

    private func get(_ name: String) async -> WebResponse {
        let head = Gate.Head(
            .get,
            authority: "localhost",
            target: "/compat/safecast/logs/" + name,
            peer: PeerAddress("192.168.1.7")
        )
        return await responder.answer(head) { _ in [] }
    }

    @Test func comesInPieces() async throws {
        let response = await get("ride.LOG")
        let all = try await read(response)
        // Its end makes room, though the answer is still there.
        #expect(await get("ride.LOG").status == .ok)
        withExtendedLifetime(response) {}
        #expect(all.count == 3 && all.allSatisfy { $0.count < 66_000 })
        let (reader, times) = (fixture.reader, fixture.times)
        let survey = try #require(try StoredSurvey.newest(named: "ride", reader, times))
        var log = try #require(try DriveLog(of: survey, DriveLog.Choice(), reader, times))
        #expect(try log.bytes(limit: 1 << 20) == all.flatMap(\.self))
    }

    @Test func goesOutOneAtATime() async throws {
        let first = await get("ride.LOG")
        #expect(first.status == .ok)
        let second = await get("ride.LOG")
        #expect(second.status == .serviceUnavailable && second.headers[.retryAfter] != nil)
        _ = try await read(first)
        #expect(await get("other.LOG").status == .notFound)
        #expect(await get("ride.LOG").status == .ok)
    }

    private func read(_ response: WebResponse) async throws -> [[UInt8]] {
        guard case .stream(let make) = response.body else {
            Issue.record("the whole log is in memory")
            return []
        }
        let pieces = Pieces()
        try await make { await pieces.append($0) }
        return await pieces.all
    }

    private actor Pieces {
        private(set) var all: [[UInt8]] = []
        func append(_ bytes: [UInt8]) { all.append(bytes) }
    }
}
