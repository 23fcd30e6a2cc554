import ControlProtocol
import HTTPTypes
import Logging
import NIOPosix
import TestSupport
import Testing

@testable import RoostWeb
@testable import StoreQueries

@Suite struct OpenAPITests {
    private static func routes() throws -> [Route] {
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
        return all.filter { $0.path.hasPrefix("/api/v1/") }
    }

    /// Every route of the API has its sentence and an address of its own, and every type a schema.
    @Test func everyRouteIsDescribed() throws {
        let routes = try Self.routes()
        #expect(routes.count > 75)
        for route in routes {
            #expect(route.facts?.summary.isEmpty == false, "\(route.method) \(route.path)")
        }
        let addresses = routes.map { "\($0.method.rawValue) \(OpenAPI.template($0.path))" }
        #expect(addresses.count == Set(addresses).count, "two routes with one address")
        _ = try OpenAPI(routes).json()
    }

    /// A key of the query that a route does not have is refused, and so is a field of its body.
    @Test func unknownFieldsAreRefusedEverywhere() async throws {
        var count = 0
        for route in try Self.routes() {
            let asked = WebRequest(path: route.path, query: WebQuery(["neverThere": ["1"]]))
            await Self.expectUnknown(route, asked, "/neverThere")
            guard let takes = route.facts?.takes, try SchemaRecorder().fields(of: takes) != nil
            else { continue }
            count += 1
            let body = Array(#"{"neverThere":1}"#.utf8)
            await Self.expectUnknown(route, WebRequest(path: route.path, body: body), "/neverThere")
        }
        #expect(count > 30)
    }

    private static func expectUnknown(
        _ route: Route,
        _ request: WebRequest,
        _ pointer: String
    ) async {
        do {
            _ = try await route.handler(request)
            Issue.record("\(route.method) \(route.path) accepts it")
        } catch let problem as Problem {
            #expect(problem.kind == .unknownField, "\(route.method) \(route.path)")
            #expect(problem.places.first?.pointer == pointer)
        } catch { Issue.record("\(route.method) \(route.path): \(error)") }
    }
}
