import HTTPTypes

/// One request that passed the gate.
package struct WebRequest: Sendable {
    package let method: HTTPRequest.Method
    /// Path without query, as it was sent.
    package let path: String
    /// Path segments matched by each `{name}`.
    package let parameters: [String: String]
    package let query: WebQuery
    package let headers: HTTPFields
    package private(set) var body: [UInt8]
    package let peer: PeerAddress
    /// The client's identity; nil without a log-in.
    package let identity: Identity?
    /// Whether the client is still admitted: for answers that last longer than a session.
    var isStillAdmitted: @Sendable () async -> Bool = { true }

    package init(
        method: HTTPRequest.Method = .get,
        path: String,
        parameters: [String: String] = [:],
        query: WebQuery = WebQuery([:]),
        headers: HTTPFields = [:],
        body: [UInt8] = [],
        peer: PeerAddress = .unknown,
        identity: Identity? = nil
    ) {
        self.method = method
        self.path = path
        self.parameters = parameters
        self.query = query
        self.headers = headers
        self.body = body
        self.peer = peer
        self.identity = identity
    }

    /// The same request, once its body is read.
    func with(body: [UInt8]) -> WebRequest {
        var request = self
        request.body = body
        return request
    }

    /// Whether a browser sent it: any page on the web can make one send a request here.
    ///
    /// Over plain HTTP a browser does not say which page that is, and may leave out `Referer`; what
    /// it calls itself no page can change.
    var isFromBrowser: Bool {
        let fetch = HTTPField.Name("Sec-Fetch-Site").flatMap { headers[$0] }
        return headers[.origin] != nil || headers[.referer] != nil || fetch != nil
            || headers[.userAgent]?.hasPrefix("Mozilla/") == true
    }

    /// Refuses a body with a field that no one reads: a typing error must not pass for a change.
    ///
    /// - Throws: `Problem` `unknown-field`, `bad-request`.
    func allow(only fields: Set<String>) throws {
        let found = try decoded([String: JSONBody.Anything].self)
        guard let field = found.keys.sorted().first(where: { !fields.contains($0) }) else { return }
        throw Problem.unknownField(field, "known are \(fields.sorted().joined(separator: ", "))")
    }

    /// The body as a value.
    ///
    /// - Throws: `Problem` `bad-request` with the place of the mistake.
    package func decoded<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try JSONBody.decoded(type, from: body)
    }
}

/// The identity of a client that logged in or sent a token.
package struct Identity: Hashable, Sendable {
    package enum Door: Hashable, Sendable {
        /// The cookie of a session.
        case session(id: Int64)
        case token(id: String, scopes: Set<TokenScope>)
        /// No accounts, only on this computer: `roost web --store`.
        case open
    }

    package let account: Int64
    /// Name for the audit and the station's events.
    package let name: String
    package let right: Right
    package let door: Door

    package init(account: Int64, name: String, right: Right, door: Door) {
        self.account = account
        self.name = name
        self.right = right
        self.door = door
    }
}

/// The other end of a connection.
package struct PeerAddress: Hashable, Sendable {
    /// Address as text, without the port: `192.168.1.7`, `fe80::1`.
    package let text: String
    /// Whether the connection is encrypted.
    package let isEncrypted: Bool

    package init(_ text: String, isEncrypted: Bool = false) {
        (self.text, self.isEncrypted) = (text, isEncrypted)
    }

    package static let unknown = PeerAddress("")
}
