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
        let own = Route(.get, path, .anyone) { _ in WebResponse() }
        let description = OpenAPI(routes + [own])
        return Route(.get, path, .anyone) { _ in .json(try description.json()) }
    }

    /// - Throws: `SchemaRecorder.Failure` for an answer whose type gives no schema.
    package func json() throws -> String {
        let recorder = SchemaRecorder()
        let answers = try entries(recorder)
        let components = try recorder.components.mapValues(Self.text)
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
                let paths = Dictionary(grouping: routes) { Self.template($0.path) }
                for path in paths.keys.sorted() {
                    json.object(path) { json in
                        for route in paths[path] ?? [] {
                            let name = "\(route.method.rawValue) \(path)"
                            write(route, path, answers[name], &json)
                        }
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

    /// Schemas of the answers by method and path; a route that is not there answers no JSON.
    private func entries(_ recorder: SchemaRecorder) throws -> [String: String] {
        try RouteSummaries.all.compactMapValues { entry in
            try entry.answer.map { try Self.text(try recorder.schema(of: $0)) }
        }
    }

    private static func text(_ schema: JSONSchema) throws -> String {
        String(decoding: try JSONBody.encoded(schema), as: UTF8.self)
    }

    private func write(
        _ route: Route,
        _ path: String,
        _ answer: String?,
        _ json: inout JSONTextBuilder
    ) {
        let method = route.method.rawValue
        let entry = RouteSummaries.all["\(method) \(path)"]
        json.object(method.lowercased()) { json in
            json.member("summary", entry?.text)
            json.member("operationId", Self.name(method, path))
            let names = path.split(separator: "/").filter { $0.hasPrefix("{") }
                .map { (String($0.dropFirst().dropLast()), "path") }
            json.array("parameters", names + (entry?.keys ?? []).map { ($0, "query") }) {
                json,
                parameter in
                json.object { json in
                    json.member("name", parameter.0)
                    json.member("in", parameter.1)
                    json.member("required", parameter.1 == "path")
                    json.object("schema") { $0.member("type", "string") }
                }
            }
            if case .json = route.body {
                json.object("requestBody") { json in
                    json.object("content") { json in
                        json.object("application/json") { json in
                            json.object("schema") { $0.member("type", "object") }
                        }
                    }
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
                    guard let answer else { return }
                    json.object("content") { json in
                        json.object("application/json") { $0.member("schema", json: answer) }
                    }
                }
                json.object("4XX") { Self.refer(&$0, "Refused; the detail says why.") }
                json.object("5XX") { Self.refer(&$0, "The station or its card does not answer.") }
            }
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
        json.object("content") { json in
            json.object("application/problem+json") { json in
                json.object("schema") { $0.member("$ref", "#/components/schemas/Problem") }
            }
        }
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
