import ControlProtocol
import HTTPTypes
import Testing

@testable import RoostWeb

@Suite struct OpenAPITests {
    /// Every route of the API has its sentence and an address of its own, and every type a schema.
    @Test func everyRouteIsDescribed() throws {
        let routes = try ServedRoutes.all()
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
        for route in try ServedRoutes.all() {
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
