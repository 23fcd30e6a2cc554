import HTTPTypes

/// The body that a route accepts.
package enum BodyRule: Hashable, Sendable {
    case none
    /// `application/json`, at most so many bytes.
    case json(maxBytes: Int)
    /// A body of any type, at most so many bytes: for programs that name none.
    case any(maxBytes: Int)

    /// Bytes at most; nil without a body.
    var byteLimit: Int? {
        switch self {
        case .none: nil
        case .json(let bytes), .any(let bytes): bytes
        }
    }

    /// The rule for most forms.
    package static let form = BodyRule.json(maxBytes: 64 << 10)
}

/// One path with one method: the right that it requires and its handler.
///
/// All routes are in one table, `RouteTable`; a request that is not in it reaches no handler.
package struct Route: Sendable {
    package typealias Handler = @Sendable (WebRequest) async throws -> WebResponse

    package let method: HTTPRequest.Method
    /// Segments divided by `/`; `{name}` takes one segment, `{name*}` at the end takes the rest.
    package let path: String
    package let right: Right
    /// The scope that a token needs; nil for routes that no token may use.
    package let scope: TokenScope?
    package private(set) var body: BodyRule
    package internal(set) var handler: Handler
    /// Whether a program may use it without a token; a page of another site never may.
    var isForPrograms = false
    /// What its reference says; nil for a route outside the API.
    private(set) var facts: RouteFacts?

    package init(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ right: Right,
        scope: TokenScope? = nil,
        body: BodyRule = .none,
        _ handler: @escaping Handler
    ) {
        self.method = method
        self.path = path
        self.right = right
        self.scope = scope
        self.body = body
        self.handler = handler
    }

    /// Says what the route is for, and holds requests to it.
    ///
    /// A key of the query that is not in `query`, and a field of the body that `takes` does not
    /// have, are refused as `unknown-field`.
    ///
    /// - Parameters:
    ///   - takes: Type of a body of JSON; with it the route accepts a form.
    ///   - action: What the audit says of a change.
    func about(
        _ summary: String,
        query: [QueryKey] = [],
        headers: [RequestHeader] = [],
        takes: (any (Decodable & Sendable).Type)? = nil,
        answers: RouteAnswer,
        audit action: AuditAction = .change
    ) -> Route {
        var route = self
        if takes != nil, body == .none { route.body = .form }
        route.facts = RouteFacts(
            summary: summary,
            query: query,
            headers: headers,
            takes: takes,
            answers: answers,
            action: action
        )
        let (handler, keys) = (handler, Set(query.map(\.name)))
        route.handler = { request in
            try request.query.allow(only: keys)
            for header in headers { _ = try header.value(in: request) }
            if let takes, !request.body.isEmpty,
                let fields = try SchemaRecorder().fields(of: takes)
            {
                try request.allow(only: fields)
            }
            return try await handler(request)
        }
        return route
    }

    /// Says what a route is for that answers with JSON of a type.
    func about(
        _ summary: String,
        query: [QueryKey] = [],
        headers: [RequestHeader] = [],
        takes: (any (Decodable & Sendable).Type)? = nil,
        answers type: any (Decodable & Sendable).Type,
        audit action: AuditAction = .change
    ) -> Route {
        about(
            summary,
            query: query,
            headers: headers,
            takes: takes,
            answers: .json(type),
            audit: action
        )
    }
}

/// What the reference, the OpenAPI file and the audit say of a route.
struct RouteFacts: Sendable {
    /// One sentence.
    let summary: String
    let query: [QueryKey]
    let headers: [RequestHeader]
    let takes: (any (Decodable & Sendable).Type)?
    let answers: RouteAnswer
    let action: AuditAction
}
