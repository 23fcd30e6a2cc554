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
        _ = try OpenAPI(routes).json(over: .unknown)
    }

    /// Answers of JSON that have no schema, each with the reason.
    private static let withoutSchema = [
        "/openapi.json": "OpenAPI has its own", "/export": "rows are read as a stream",
    ]

    /// An answer of JSON has a schema, and no other route is in the list of those without.
    @Test func everyAnswerOfJSONHasASchema() throws {
        let found = try ServedRoutes.all().filter { route in
            guard case .media(let types)? = route.facts?.answers else { return false }
            return types.contains { $0.hasSuffix("json") }
        }
        let paths = Set(found.map { OpenAPI.template($0.path) })
        #expect(paths == Set(Self.withoutSchema.keys))
    }

    private struct Described: Decodable {
        struct Components: Decodable { let securitySchemes: [String: Scheme]? }
        struct Scheme: Decodable { let name: String? }
        struct Operation: Decodable { let security: [[String: [String]]]? }

        let paths: [String: [String: Operation]]
        let components: Components
    }

    /// The description names the very cookie that a log-in over this connection sets.
    @Test(arguments: [false, true])
    func theSessionIsTheCookie(isEncrypted: Bool) throws {
        let (peer, cookie) = (
            PeerAddress("::1", isEncrypted: isEncrypted), SessionCookie(station: "balcony")
        )
        let text = try OpenAPI(try ServedRoutes.all(), session: cookie).json(over: peer)
        let described = try JSONBody.decoded(Described.self, from: Array(text.utf8))
        let name = try #require(described.components.securitySchemes?["session"]?.name)
        #expect(cookie.over(peer).setting("x").hasPrefix(name + "="))
        #expect(described.paths["/settings"]?["get"]?.security?.count == 2)
    }

    /// Where no one logs in, nothing says that one has to.
    @Test func withoutAccountsThereIsNoSecurity() throws {
        let text = try OpenAPI(try ServedRoutes.all()).json(over: .unknown)
        let described = try JSONBody.decoded(Described.self, from: Array(text.utf8))
        #expect(described.components.securitySchemes == nil)
        #expect(described.paths.values.allSatisfy { $0.values.allSatisfy { $0.security == nil } })
    }

    /// A header field that the description demands is demanded by the route.
    @Test func headerFieldsAreDemanded() async throws {
        var count = 0
        for route in try ServedRoutes.all() {
            for refusal in route.facts?.headers.compactMap(\.refusal) ?? [] {
                count += 1
                await #expect(throws: refusal, "\(route.method) \(route.path)") {
                    _ = try await route.handler(WebRequest(path: route.path))
                }
            }
        }
        #expect(count > 0)
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
