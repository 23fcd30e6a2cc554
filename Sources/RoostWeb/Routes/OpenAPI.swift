import Core
import HTTPTypes

/// The route table as OpenAPI 3.1, made from it, so that it cannot say anything else.
package struct OpenAPI: Sendable {
    private static let base = "/api/v1"

    private let routes: [Route]

    package init(_ routes: [Route]) {
        self.routes = routes.filter { $0.path.hasPrefix(Self.base + "/") }
    }

    /// The route of the description itself.
    ///
    /// It is open, as it contains nothing about this station.
    package static func route(describing routes: [Route]) -> Route {
        let path = base + "/openapi.json"
        let summary = "This description."
        let own = Route(.get, path, .anyone) { _ in WebResponse() }.about(summary)
        let description = OpenAPI(routes + [own])
        return Route(.get, path, .anyone) { _ in .json(try description.json()) }.about(summary)
    }

    /// - Throws: `SchemaRecorder.Failure` for a type that gives no schema.
    package func json() throws -> String {
        let recorder = SchemaRecorder()
        let schemas = try routes.map { route in
            try Schemas(
                body: route.facts?.takes.map { try recorder.schema(of: $0) },
                answer: route.facts?.answers.map { try recorder.schema(of: $0) }
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
                Self.writeSecurity(&json)
                json.object("schemas") { json in
                    Self.writeProblem(&json)
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

    /// Schemas of what a route takes and answers; nil for what is no JSON.
    private struct Schemas {
        let body: JSONSchema?
        let answer: JSONSchema?
    }

    private static func text(_ schema: JSONSchema) throws -> String {
        String(decoding: try JSONBody.encoded(schema), as: UTF8.self)
    }

    private func text(
        _ route: Route,
        _ schemas: Schemas,
        _ recorder: SchemaRecorder
    ) throws -> String {
        let path = Self.template(route.path)
        let parameters = try parameters(path, route.facts?.query ?? [])
        let (body, answer) = (try schemas.body.map(Self.text), try schemas.answer.map(Self.text))
        var json = JSONTextBuilder()
        json.object { json in
            json.member("summary", route.facts?.summary)
            json.member("operationId", Self.name(route.method.rawValue, path))
            json.array("parameters", parameters) { $0.raw($1) }
            if case .json = route.body {
                json.object("requestBody") { json in
                    json.member("required", schemas.body.map { recorder.demands($0) } ?? false)
                    Self.write(body ?? #"{"type":"object"}"#, as: "application/json", &json)
                }
            }
            if route.right != .anyone, route.right != .unclaimed {
                json.member("x-role", route.right.rawValue)
                json.array("security", ["session"] + (route.scope == nil ? [] : ["token"])) {
                    json,
                    scheme in
                    json.object { json in json.array(scheme, [String]()) { $0.add($1) } }
                }
            }
            json.object("responses") { json in
                json.object("2XX") { json in
                    json.member("description", "Done.")
                    if let answer { Self.write(answer, as: "application/json", &json) }
                }
                json.object("4XX") { Self.refer(&$0, "Refused; the detail says why.") }
                json.object("5XX") { Self.refer(&$0, "The station or its card does not answer.") }
            }
        }
        return json.text
    }

    /// Names in the path, then the keys of the query.
    private func parameters(_ path: String, _ query: [QueryKey]) throws -> [String] {
        let names = path.split(separator: "/").filter { $0.hasPrefix("{") }
        return try names.map { name in
            try Self.parameter(
                QueryKey(String(name.dropFirst().dropLast()), isRequired: true),
                "path"
            )
        } + query.map { try Self.parameter($0, "query") }
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

    private static func write(_ schema: String, as type: String, _ json: inout JSONTextBuilder) {
        json.object("content") { json in
            json.object(type) { $0.member("schema", json: schema) }
        }
    }

    /// `getGapsDeviceQuantityTime`.
    private static func name(_ method: String, _ path: String) -> String {
        let words = path.split { !$0.isLetter && !$0.isNumber }
        return method.lowercased()
            + words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    private static func refer(_ json: inout JSONTextBuilder, _ text: String) {
        json.member("description", text)
        let schema = ##"{"$ref":"#/components/schemas/Problem"}"##
        write(schema, as: "application/problem+json", &json)
    }

    private static func writeSecurity(_ json: inout JSONTextBuilder) {
        json.object("securitySchemes") { json in
            json.object("session") { json in
                json.member("type", "apiKey")
                json.member("in", "cookie")
                json.member("name", "roost")
            }
            json.object("token") { json in
                json.member("type", "http")
                json.member("scheme", "bearer")
            }
        }
    }

    private static func writeProblem(_ json: inout JSONTextBuilder) {
        json.object("Problem") { json in
            json.member("type", "object")
            json.array("required", ["type", "title", "status", "detail"]) { $0.add($1) }
            json.object("properties") { json in
                for key in ["type", "title", "detail"] {
                    json.object(key) { $0.member("type", "string") }
                }
                json.object("status") { $0.member("type", "integer") }
                json.object("errors") { json in
                    json.member("type", "array")
                    json.object("items") { $0.member("type", "object") }
                }
            }
        }
    }
}
