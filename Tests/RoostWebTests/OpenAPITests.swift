import ControlProtocol
import HTTPTypes
import Logging
import NIOPosix
import TestSupport
import Testing

@testable import RoostWeb
@testable import StoreQueries

@Suite struct OpenAPITests {
    /// Every route of the API has its sentence, and every sentence its route.
    @Test func everyRouteIsDescribed() throws {
        let folder = try TestFolder()
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let house = AccountStation(name: "t")
        let door = ServerAccounts(folder: folder.path, of: house, on: loop, logger: logger)
        let station = StationRoutes(nil, live: nil, name: "t", zone: "UTC", isSimulated: false)
        let reader = HistoryClient(nil, folder: folder.path, logger: logger)
        let history = HistoryRoutes(reader, nil, name: "t")
        let trust = TrustRoutes(nil, station: "t", addresses: [])
        let parts = #filePath.split(separator: "/").dropLast(3)
        let www = "/" + parts.joined(separator: "/") + "/Sources/RoostWeb/www"
        let files = try StaticFiles(folder: www)
        let updates = UpdateRoutes(UpdateUploads(state: folder.path))
        let sources = FaceSources(reader, nil, nil, name: "t", zone: .utc, logger: logger)
        let routes =
            door.routes + station.all + history.all + trust.all
            + Faces(FaceSettings(), sources).pageRoutes
            + OutboxRoutes(nil).all + PushRoutes(nil).all
            + updates.acts + updates.others
            + MapRoutes(nil, leaflet: "", files).all
            + RecordRoutes(reader, nil, nil).all + LiveRoutes(nil, nil).all
        let all = routes + [OpenAPI.route(describing: routes)]
        let found = all.filter { $0.path.hasPrefix("/api/v1/") }
            .map { "\($0.method.rawValue) \(OpenAPI.template($0.path))" }
        #expect(Set(found) == Set(RouteSummaries.all.keys))
        #expect(found.count == Set(found).count, "two routes with one address")
        _ = try OpenAPI(all).json()
    }
}
