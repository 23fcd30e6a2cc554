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
        let text = OpenAPI(routes + [own]).json
        return Route(.get, path, .anyone) { _ in .json(text) }
    }

    package var json: String {
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
                        for route in paths[path] ?? [] { write(route, path, &json) }
                    }
                }
            }
            json.object("components") { json in
                Self.writeSecurity(&json)
                Self.writeProblem(&json)
            }
        }
        return json.text
    }

    /// `/mutes/{target}` of `/api/v1/mutes/{target*}`.
    package static func template(_ path: String) -> String {
        path.dropFirst(base.count).filter { $0 != "*" }.description
    }

    private func write(_ route: Route, _ path: String, _ json: inout JSONTextBuilder) {
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
                json.object("2XX") { $0.member("description", "Done.") }
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
        json.object("schemas") { json in
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
}
