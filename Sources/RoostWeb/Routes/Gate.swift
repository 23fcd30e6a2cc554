import ControlProtocol
import HTTPTypes

/// Decides whether a request reaches its handler, always in the same order: host, route and method,
/// origin, type of the body, who asks, right, rate.
///
/// Refused requests count for the rate, too.
package struct Gate: Sendable {
    /// Identifies clients by their cookies and tokens.
    package protocol Authenticator: Sendable {
        /// - Throws: `Problem` for a token that is wrong or expired.
        func identity(_ headers: HTTPFields, _ peer: PeerAddress) async throws -> Identity?
        /// Whether the station has an owner.
        var isClaimed: Bool { get async }
    }

    /// A head as it came, with what the connection adds.
    package struct Head: Sendable {
        package let method: HTTPRequest.Method
        package let scheme: String
        /// The `Host` field.
        package let authority: String?
        /// Path and query.
        package let target: String
        package let headers: HTTPFields
        package let peer: PeerAddress

        package init(
            _ method: HTTPRequest.Method,
            scheme: String = "http",
            authority: String?,
            target: String,
            headers: HTTPFields = [:],
            peer: PeerAddress = .unknown
        ) {
            self.method = method
            self.scheme = scheme
            self.authority = authority
            self.target = target
            self.headers = headers
            self.peer = peer
        }
    }

    /// An admitted request without its body, and its route.
    package struct Pass: Sendable {
        package let route: Route
        package let request: WebRequest
    }

    package let table: RouteTable
    package let hosts: HostNames
    package let authenticator: any Authenticator
    private let rate: RequestRate

    package init(
        _ table: RouteTable,
        hosts: HostNames,
        authenticator: any Authenticator,
        clock: WebClock = .system
    ) {
        self.table = table
        self.hosts = hosts
        self.authenticator = authenticator
        rate = RequestRate(clock)
    }

    /// - Throws: `Problem`.
    package func admit(_ head: Head) async throws -> Pass {
        let pass: Pass
        do { pass = try await examine(head) } catch let problem as Problem {
            // Counted at its address: guesses cost what pages cost, and a person who is logged in
            // behind the same address has a budget of their own.
            try count(head)
            throw problem
        }
        try rate.admit(pass.request.identity, head.peer)
        return pass
    }

    /// Counts an answer that needs no right.
    ///
    /// - Throws: `Problem` `rate-limited`.
    func count(_ head: Head) throws(Problem) { try rate.admit(nil, head.peer) }

    private func examine(_ head: Head) async throws -> Pass {
        guard head.target.utf8.count <= 2_048 else {
            throw Problem(.tooLarge, "an address has at most 2 048 bytes")
        }
        try hosts.check(head.authority)
        let (path, query) = Self.split(head.target)
        let (route, parameters) = try find(head.method, path)
        if Self.isUnsafe(head.method) {
            try checkOrigin(head, route)
            try checkType(head, route)
        }
        let identity = try await identity(head, for: route)
        try await check(route, identity)
        var request = WebRequest(
            method: head.method,
            path: String(path),
            parameters: parameters,
            query: try WebQuery(parsing: query),
            headers: head.headers,
            peer: head.peer,
            identity: identity
        )
        request.isStillAdmitted = { await isAdmitted(head, to: route) }
        return Pass(route: route, request: request)
    }

    private func isAdmitted(_ head: Head, to route: Route) async -> Bool {
        do {
            try await check(route, try await identity(head, for: route))
            return true
        } catch { return false }
    }

    /// Identifies the client; routes for all also accept invalid tokens, and unreadable accounts.
    private func identity(_ head: Head, for route: Route) async throws -> Identity? {
        do {
            return try await authenticator.identity(head.headers, head.peer)
        } catch is Problem where route.right == .anyone {
            return nil
        }
    }

    private static func split(_ target: String) -> (Substring, Substring) {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        return (parts[0], parts.dropFirst().first ?? "")
    }

    private static func isUnsafe(_ method: HTTPRequest.Method) -> Bool {
        ![.get, .head].contains(method)
    }

    private func find(
        _ method: HTTPRequest.Method,
        _ path: Substring
    ) throws -> (Route, [String: String]) {
        switch table.match(method, String(path)) {
        case .route(let route, let parameters): return (route, parameters)
        case .otherMethods(let methods):
            let allowed = methods.map(\.rawValue).joined(separator: ", ")
            throw Problem(
                .methodNotAllowed,
                "it takes \(allowed)",
                headers: [.allow: allowed]
            )
        case .nothing: throw Problem.notFound("no page and no endpoint is here")
        }
    }

    /// A page of another site can make a browser send a form; it cannot forge `Origin`.
    private func checkOrigin(_ head: Head, _ route: Route) throws {
        guard let origin = head.headers[.origin] else {
            // Programs send none, and a token is nothing a browser adds by itself.
            guard head.headers[.authorization] != nil || route.isForPrograms else {
                throw Problem(.crossOrigin, "a browser sends Origin; a program needs a token")
            }
            return
        }
        guard let authority = head.authority, origin == "\(head.scheme)://\(authority)" else {
            throw Problem(.crossOrigin, "it comes from \(origin.prefix(80))")
        }
    }

    private func checkType(_ head: Head, _ route: Route) throws {
        guard case .json = route.body, Self.hasBody(head.headers) else { return }
        let type = head.headers[.contentType]?.split(separator: ";").first
        guard type?.lowercased() == "application/json" else {
            throw Problem(.unsupportedMedia, "send application/json")
        }
    }

    /// A body has a length or comes in chunks; a type is held to its word all the same.
    private static func hasBody(_ headers: HTTPFields) -> Bool {
        if let length = headers[.contentLength] { return length != "0" }
        return headers[.transferEncoding] != nil || headers[.contentType] != nil
    }

    private func check(_ route: Route, _ identity: Identity?) async throws {
        if route.right == .anyone { return }
        let isClaimed = await authenticator.isClaimed
        if route.right == .unclaimed {
            guard !isClaimed else {
                throw Problem(.conflict, "this station has an owner", .hasOwner)
            }
            return
        }
        guard let identity else {
            throw isClaimed
                ? Problem(.unauthenticated, "log in, or send a token")
                : Problem(.unclaimed, "open the station's page and become its owner")
        }
        if case .token(_, let scopes) = identity.door {
            guard let scope = route.scope, scopes.contains(scope) else {
                throw Problem(.forbidden, "this token may not do that")
            }
        }
        guard identity.right >= route.right else {
            throw Problem(
                .forbidden,
                "it needs the role \(route.right.rawValue)",
                route.right == .owner ? .needsOwner : .needsMember
            )
        }
    }
}
