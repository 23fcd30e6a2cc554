import HTTPTypes
import Testing

@testable import RoostWeb

@Suite struct RouteTableTests {
    private static let table = RouteTable([
        Route(.get, "/api/v1/gaps/{device}/{quantity}/{time}", .viewer) { _ in WebResponse() },
        Route(.post, "/api/v1/mode", .member, body: .form) { _ in WebResponse() },
        Route(.get, "/a/{hash}/{file*}", .anyone) { _ in WebResponse() },
    ])

    @Test func findsParametersAndDecodesThem() throws {
        guard
            case .route(_, let found) = Self.table.match(
                .get,
                "/api/v1/gaps/dust/pm25/2026-04-14T02%3A00%3A00Z"
            )
        else { throw Problem.notFound("route") }
        #expect(found == ["device": "dust", "quantity": "pm25", "time": "2026-04-14T02:00:00Z"])
    }

    @Test func takesTheRestOfAPath() throws {
        guard case .route(_, let found) = Self.table.match(.head, "/a/5f/js/pages/now.js") else {
            throw Problem.notFound("route")
        }
        #expect(found == ["hash": "5f", "file": "js/pages/now.js"])
    }

    @Test func namesOtherMethods() throws {
        guard case .otherMethods(let methods) = Self.table.match(.get, "/api/v1/mode") else {
            throw Problem.notFound("route")
        }
        #expect(methods == [.post])
    }

    @Test(arguments: ["/api/v1/gaps/dust/pm25", "/api/v1/gaps/a/b/c/d", "/a/5f", "", "/%00", "//"])
    func findsNothingElsewhere(path: String) {
        guard case .nothing = Self.table.match(.get, path) else {
            Issue.record("a route for \(path)")
            return
        }
    }
}
