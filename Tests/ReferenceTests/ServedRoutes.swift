import ControlProtocol
import Logging
import NIOPosix
import TestSupport

@testable import RoostWeb
@testable import StoreQueries

/// The routes of the dashboard's API.
enum ServedRoutes {
    static func all() throws -> [Route] {
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
        let network = NetworkRoutes(NetworkRequests(host: "t"))
        let sources = FaceSources(reader, nil, nil, name: "t", zone: .utc, logger: logger)
        let routes =
            door.routes + station.all + history.all + trust.all
            + Faces(FaceSettings(), sources).pageRoutes
            + OutboxRoutes(nil).all + PushRoutes(nil).all
            + updates.acts + updates.others
            + network.acts + network.others
            + MapRoutes(nil, leaflet: "", files, station: nil).all
            + RecordRoutes(reader, nil, nil).all + LiveRoutes(nil, nil).all
            + CameraRoutes(nil, nil).all
        let all = routes + [OpenAPI.route(describing: routes, station: "t")]
        return all.filter { $0.path.hasPrefix("/api/v1/") }
    }
}
