import ControlProtocol
import HardwareIO

@testable import RoostWeb

/// The questions that the three programs answer at their sockets, as tables for a page.
struct QuestionReference {
    private let recorder = SchemaRecorder()
    private var sections = ["The present `version` is \(controlProtocolVersion)."]
    /// Names of the questions' schemas, whose keys stand in the rows of the questions.
    private var questions: Set<String> = []

    /// - Throws: `SchemaRecorder.Failure` for a question whose type gives no schema.
    init() throws {
        for (path, types) in try ServedQuestions.sockets() {
            let rows = try types.map { try row(of: $0) }
            let table = MarkdownTable(
                "`command`",
                "Asked by",
                "Fields",
                "`body`",
                "What it does",
                rows: rows
            )
            sections.append("At `\(path)`:\n\n\(table.text)")
        }
    }

    private mutating func row<Asked: Question>(of type: Asked.Type) throws -> [String] {
        guard case .reference(let name) = try recorder.schema(of: type),
            let fields = recorder.components[name]
        else { throw SchemaRecorder.Failure(description: "\(type) is no object") }
        questions.insert(name)
        let answer = try recorder.schema(of: Asked.Answer.self)
        let (about, users) = (type.about, Self.text(type.about.users))
        return [
            "`\(about.name)`", users, SchemaText.text(fields), SchemaText.text(answer),
            about.summary,
        ]
    }

    private static func text(_ users: Set<LocalUser>) -> String {
        let arePeople = users.isSuperset(of: .people)
        let others = LocalUser.allCases.filter { users.contains($0) && !Set.people.contains($0) }
        return ([arePeople ? "people" : "root"] + others.map { "\($0)" }).joined(separator: ", ")
    }

    /// A table for each socket, with a row for each question.
    var tables: String { sections.joined(separator: "\n\n") }

    /// The schemas in fields and answers, by name.
    var components: [String: JSONSchema] {
        recorder.components.filter { !questions.contains($0.key) }
    }

    /// These, with their keys.
    var objects: String {
        let rows = components.sorted { $0.key < $1.key }.map { name, schema in
            ["`\(name)`", SchemaText.text(schema)]
        }
        return MarkdownTable("Object", "Keys", rows: rows).text
    }
}
