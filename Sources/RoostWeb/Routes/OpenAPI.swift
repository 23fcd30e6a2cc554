import Core
import HTTPTypes

/// The route table as OpenAPI 3.1, made from it, so that it cannot say anything else.
package struct OpenAPI: Sendable {
    private static let base = "/api/v1"

    private let routes: [Route]
    /// The cookie of a session; nil where no one logs in.
    private let session: SessionCookie?

    init(_ routes: [Route], session: SessionCookie? = nil) {
        self.routes = routes.filter { $0.path.hasPrefix(Self.base + "/") }
        self.session = session
    }

    /// The route of the description itself.
    ///
    /// It is open, as all that it contains of this station is the name of its cookie.
    ///
    /// - Parameter station: Name of the station for its cookie; nil where no one logs in.
    package static func route(describing routes: [Route], station: String?) -> Route {
        let path = base + "/openapi.json"
        let (summary, answer) = ("This description.", RouteAnswer.media(["application/json"]))
        let own = Route(.get, path, .anyone) { _ in WebResponse() }
            .about(summary, answers: answer)
        let description = OpenAPI(routes + [own], session: station.map(SessionCookie.init))
        return Route(.get, path, .anyone) { .json(try description.json(over: $0.peer)) }
            .about(summary, answers: answer)
    }

    /// - Parameter peer: Who asks: the cookie has another name over TLS.
    /// - Throws: `SchemaRecorder.Failure` for a type that gives no schema.
    func json(over peer: PeerAddress) throws -> String {
        let recorder = SchemaRecorder()
        let refusal = try Self.text(try recorder.schema(of: ProblemView.self))
        let schemas = try routes.map { route in
            try Schemas(
                body: route.facts?.takes.map { try recorder.schema(of: $0) },
                answer: Self.content(of: route, recorder),
                refusal: refusal
            )
        }
        let components = try recorder.components.mapValues(Self.text)
        let described = Dictionary(grouping: zip(routes, schemas)) { Self.template($0.0.path) }
        let texts = try described.mapValues { routes in
            try routes.map { ($0.0.method.rawValue.lowercased(), try text($0.0, $0.1, recorder)) }
        }
        var json = JSONTextBuilder()
        json.object { json in
            json.member("openapi", "3.1.0")
            json.object("info") { json in
                json.member("title", "Roost")
                json.member("version", RoostVersion.text)
                json.member(
                    "description",
                    "A measuring station's local API; docs/reference/api.md explains it."
                )
            }
            json.array("servers", [Self.base]) { json, base in
                json.object { $0.member("url", base) }
            }
            json.object("paths") { json in
                for (path, methods) in texts.sorted(by: { $0.key < $1.key }) {
                    json.object(path) { json in
                        for (method, text) in methods { json.member(method, json: text) }
                    }
                }
            }
            json.object("components") { json in
                if let session { Self.write(session.over(peer), &json) }
                json.object("schemas") { json in
                    for (name, schema) in components.sorted(by: { $0.key < $1.key }) {
                        json.member(name, json: schema)
                    }
                }
            }
        }
        return json.text
    }

    /// `/mutes/{target}` of `/api/v1/mutes/{target*}`.
    package static func template(_ path: String) -> String {
        path.dropFirst(base.count).filter { $0 != "*" }.description
    }

    /// Schemas of what a route takes and answers.
    private struct Schemas {
        let body: JSONSchema?
        let answer: [Content]
        let refusal: String
    }

    /// One media type of an answer; JSON of any form has no schema.
    private struct Content {
        let type: String
        let schema: String?
    }

    private static func content(of route: Route, _ recorder: SchemaRecorder) throws -> [Content] {
        switch route.facts?.answers {
        case .json(let type):
            [Content(type: json, schema: try text(try recorder.schema(of: type)))]
        case .media(let types):
            try types.map { type in
                let schema = type.hasPrefix("text/") ? JSONSchema.text : .bytes
                return Content(type: type, schema: type == json ? nil : try text(schema))
            }
        case .nothing, nil: []
        }
    }

    private static let json = "application/json"

    private static func text(_ schema: JSONSchema) throws -> String {
        String(decoding: try JSONBody.encoded(schema), as: UTF8.self)
    }

    private func text(
        _ route: Route,
        _ schemas: Schemas,
        _ recorder: SchemaRecorder
    ) throws -> String {
        let path = Self.template(route.path)
        let parameters = try parameters(path, route.facts)
        let body = try schemas.body.map(Self.text) ?? #"{"type":"object"}"#
        var json = JSONTextBuilder()
        json.object { json in
            json.member("summary", route.facts?.summary)
            json.member("operationId", Self.name(route.method.rawValue, path))
            json.array("tags", path.split(separator: "/").prefix(1)) { $0.add(String($1)) }
            json.array("parameters", parameters) { $0.raw($1) }
            if case .json = route.body {
                json.object("requestBody") { json in
                    json.member("required", schemas.body.map { recorder.demands($0) } ?? false)
                    Self.write([Content(type: Self.json, schema: body)], &json)
                }
            }
            if route.right != .anyone, route.right != .unclaimed {
                json.member("x-role", route.right.rawValue)
            }
            if session != nil, route.right != .anyone, route.right != .unclaimed {
                json.array("security", ["session"] + (route.scope == nil ? [] : ["token"])) {
                    json,
                    scheme in
                    json.object { json in json.array(scheme, [String]()) { $0.add($1) } }
                }
            }
            json.object("responses") { json in
                json.object(schemas.answer.isEmpty ? "204" : "2XX") { json in
                    json.member("description", "Done.")
                    Self.write(schemas.answer, &json)
                }
                for (status, words) in Self.refusals {
                    json.object(status) { json in
                        json.member("description", words)
                        let type = "application/problem+json"
                        Self.write([Content(type: type, schema: schemas.refusal)], &json)
                    }
                }
            }
        }
        return json.text
    }

    private static let refusals = [
        ("4XX", "Refused; the detail says why."),
        ("5XX", "The station or its card does not answer."),
    ]

    /// Names in the path, then the keys of the query and the headers.
    private func parameters(_ path: String, _ facts: RouteFacts?) throws -> [String] {
        let names = path.split(separator: "/").filter { $0.hasPrefix("{") }
            .map { QueryKey(String($0.dropFirst().dropLast()), isRequired: true) }
        let headers = (facts?.headers ?? []).map {
            QueryKey($0.name, $0.schema, isRequired: $0.refusal != nil)
        }
        return try names.map { try Self.parameter($0, "path") }
            + (facts?.query ?? []).map { try Self.parameter($0, "query") }
            + headers.map { try Self.parameter($0, "header") }
    }

    private static func parameter(_ key: QueryKey, _ place: String) throws -> String {
        let schema = try text(key.schema)
        var json = JSONTextBuilder()
        json.object { json in
            json.member("name", key.name)
            json.member("in", place)
            json.member("required", key.isRequired)
            json.member("schema", json: schema)
        }
        return json.text
    }

    private static func write(_ contents: [Content], _ json: inout JSONTextBuilder) {
        guard !contents.isEmpty else { return }
        json.object("content") { json in
            for content in contents {
                json.object(content.type) { json in
                    if let schema = content.schema { json.member("schema", json: schema) }
                }
            }
        }
    }

    /// `getGapsDeviceQuantityTime`.
    private static func name(_ method: String, _ path: String) -> String {
        let words = path.split { !$0.isLetter && !$0.isNumber }
        return method.lowercased()
            + words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    private static func write(_ session: SessionCookie, _ json: inout JSONTextBuilder) {
        json.object("securitySchemes") { json in
            json.object("session") { json in
                json.member("type", "apiKey")
                json.member("in", "cookie")
                json.member("name", session.name)
            }
            json.object("token") { json in
                json.member("type", "http")
                json.member("scheme", "bearer")
            }
        }
    }
}
