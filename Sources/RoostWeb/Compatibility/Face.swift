import ControlProtocol
import HTTPTypes

/// One face: an interface for clients of another system.
///
/// A face has no accounts. It answers the local network alone, below `/compat/…` of the dashboard
/// and, with a port of its own, at that port's root.
struct Face: Sendable {
    /// One path of a face.
    struct Place: Sendable {
        /// Below the face's root, without `/` before it; empty for the root itself.
        let path: String
        var method = HTTPRequest.Method.get
        var body = BodyRule.none
        let handler: Route.Handler
    }

    let name: FaceName
    let places: [Place]

    /// The face among the dashboard's addresses.
    var routes: [Route] {
        // These clients ask at the root, where no other route has the same path.
        let root = name == .airrohr ? "" : "/compat/" + name.rawValue
        return places.map { Self.route(root + "/" + $0.path, $0) }
    }

    /// The face at the root of a port of its own.
    var rootRoutes: [Route] { places.map { Self.route("/" + $0.path, $0) } }

    private static func route(_ path: String, _ place: Place) -> Route {
        let isRoot = path.count > 1 && path.hasSuffix("/")
        let path = isRoot ? String(path.dropLast()) : path
        var route = Route(place.method, path, .anyone, body: place.body) { request in
            guard LocalNetwork.contains(request.peer) else {
                throw Problem(.forbidden, "this address answers the local network alone")
            }
            return try await place.handler(request)
        }
        route.isForPrograms = true
        return route
    }

    /// A refusal as those clients expect it: a sentence.
    static func refusal(_ words: String) -> WebResponse {
        var response = WebResponse.text(words)
        response.status = .badRequest
        return response
    }
}
