import Core
import HTTPTypes
import Logging
import StoreFixtures

@testable import RoostWeb
@testable import StoreQueries

/// The faces over a history, without a station.
struct FaceStage {
    static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    let fixture: QueryFixture
    let responder: WebResponder

    init(
        _ fixture: QueryFixture,
        database: WebDatabase? = nil,
        zone: Zone = .utc,
        isSimulated: Bool = false
    ) {
        self.fixture = fixture
        let client = HistoryClient(nil, folder: fixture.path, logger: Self.logger)
        var sources = FaceSources(
            client,
            nil,
            database,
            name: "balcony",
            zone: zone,
            logger: Self.logger
        )
        sources.isSimulated = isSimulated
        let entries = Dictionary(
            uniqueKeysWithValues: FaceName.allCases.map { ($0, FaceSettings.Entry()) }
        )
        let faces = Faces(FaceSettings(entries), sources)
        let gate = Gate(
            RouteTable(faces.routes + faces.pageRoutes),
            hosts: HostNames(["balcony"]),
            authenticator: OpenAuthenticator(.viewer)
        )
        responder = WebResponder(gate, logger: Self.logger)
    }

    func get(
        _ target: String,
        _ headers: HTTPFields = [:],
        from peer: String = "192.168.1.7"
    ) async -> WebResponse {
        let head = Gate.Head(
            .get,
            authority: "localhost",
            target: target,
            headers: headers,
            peer: PeerAddress(peer)
        )
        return await responder.answer(head) { _ in [] }
    }

    func text(_ target: String, _ headers: HTTPFields = [:]) async throws -> String {
        switch await get(target, headers).body {
        case .bytes(let bytes): return String(decoding: bytes, as: UTF8.self)
        case .stream(let make):
            let pieces = Pieces()
            try await make { await pieces.append($0) }
            return String(decoding: await pieces.all, as: UTF8.self)
        }
    }

    private actor Pieces {
        private(set) var all: [UInt8] = []
        func append(_ bytes: [UInt8]) { all += bytes }
    }
}
