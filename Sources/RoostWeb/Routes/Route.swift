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
    package let body: BodyRule
    package let handler: Handler
    /// Whether a program may use it without a token; a page of another site never may.
    var isForPrograms = false

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
}
