import HTTPTypes

/// One face for clients of another system: what it answers, and where.
///
/// A face has no accounts. It answers the local network alone, below `/compat/…` of the dashboard
/// and, with a port of its own, at that port's root.
struct Face: Sendable {
    /// One address of a face.
    struct Place: Sendable {
        /// Below the face's root, without `/` before it; empty for the root itself.
        let path: String
        let handler: Route.Handler
    }

    let name: FaceName
    let places: [Place]

    /// The face among the dashboard's addresses.
    var routes: [Route] {
        // What these clients ask for is at the root, and nothing else is in its place.
        let root =
            [FaceName.airrohr, .airgradient].contains(name) ? "" : "/compat/" + name.rawValue
        return places.map { Self.route(root + "/" + $0.path, $0.handler) }
    }

    /// The face at the root of a port of its own.
    var rootRoutes: [Route] { places.map { Self.route("/" + $0.path, $0.handler) } }

    private static func route(_ path: String, _ handler: @escaping Route.Handler) -> Route {
        let isRoot = path.count > 1 && path.hasSuffix("/")
        return Route(.get, isRoot ? String(path.dropLast()) : path, .anyone) { request in
            guard LocalNetwork.contains(request.peer) else {
                throw Problem(.forbidden, "this address answers the local network alone")
            }
            return try await handler(request)
        }
    }

    /// A refusal as those clients expect it: a sentence.
    static func refusal(_ words: String) -> WebResponse {
        var response = WebResponse.text(words)
        response.status = .badRequest
        return response
    }
}
