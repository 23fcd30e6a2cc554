import HTTPTypes

@testable import RoostWeb

/// The routes of the API as a table for a page, and the objects that only they have.
struct RouteReference {
    private let recorder: SchemaRecorder
    private var rows: [[String]] = []
    /// Bodies of requests: their fields stand in the row of the route.
    private var bodies: Set<String> = []

    /// - Throws: `SchemaRecorder.Failure` for a type that gives no schema.
    init(_ routes: [Route]) throws {
        recorder = SchemaRecorder()
        _ = try recorder.schema(of: ProblemView.self)
        rows = try routes.sorted { Self.order($0) < Self.order($1) }.map { route in
            guard let facts = route.facts else {
                throw SchemaRecorder.Failure(description: "\(route.path) says nothing of itself")
            }
            return [
                "`\(route.method.rawValue) \(OpenAPI.template(route.path))`", Self.role(route),
                Self.text(facts), try body(facts.takes), try answer(facts.answers),
                facts.summary,
            ]
        }
    }

    /// A row for each route.
    var table: String {
        MarkdownTable("Route", "Role", "Query", "Body", "Answer", "What it does", rows: rows).text
    }

    /// The objects in bodies and answers that the sockets do not have.
    func objects(without others: Set<String>) -> String {
        let rows = recorder.components.sorted { $0.key < $1.key }
            .filter { !others.contains($0.key) && !bodies.contains($0.key) }
            .map { ["`\($0.key)`", SchemaText.text($0.value)] }
        return MarkdownTable("Object", "Keys", rows: rows).text
    }

    private mutating func body(_ type: (any Decodable.Type)?) throws -> String {
        guard let type else { return "" }
        let schema = try recorder.schema(of: type)
        guard case .reference(let name) = schema, let fields = recorder.components[name] else {
            return SchemaText.text(schema)
        }
        bodies.insert(name)
        return SchemaText.text(fields)
    }

    private func answer(_ answer: RouteAnswer) throws -> String {
        switch answer {
        case .json(let type): SchemaText.text(try recorder.schema(of: type))
        case .media(let types): types.map { "`\($0)`" }.joined(separator: " or ")
        case .nothing: ""
        }
    }

    private static func order(_ route: Route) -> (String, String) {
        (OpenAPI.template(route.path), route.method.rawValue)
    }

    /// `viewer, token read`: the least role, and the scope with which a token may.
    private static func role(_ route: Route) -> String {
        route.right.rawValue + (route.scope.map { ", token `\($0.rawValue)`" } ?? "")
    }

    private static func text(_ facts: RouteFacts) -> String {
        let query = facts.query.map {
            "`\($0.name)`\($0.isRequired ? "" : "?"): \(SchemaText.text($0.schema))"
        }
        let headers = facts.headers.map {
            "header `\($0.name)`\($0.refusal == nil ? "?" : "")"
        }
        return (query + headers).joined(separator: ", ")
    }
}
