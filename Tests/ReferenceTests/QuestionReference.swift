import ControlProtocol
import HardwareIO

@testable import RoostWeb

/// The questions that the three programs answer at their sockets, as tables for a page.
struct QuestionReference {
    /// For each socket the path at which it is and the questions that its program answers.
    private let sockets: [(path: String, questions: [any Question.Type])]
    /// Fields of the questions, by the names of their types.
    private var fields: [String: [String: JSONSchema.Member]] = [:]
    /// Names of the answers' types, by the names of the questions' types.
    private var answers: [String: String] = [:]
    private(set) var components: [String: JSONSchema] = [:]

    /// - Throws: `SchemaRecorder.Failure` for a question whose type gives no schema.
    init() throws {
        sockets = try ServedQuestions.sockets()
        let recorder = SchemaRecorder()
        for type in sockets.flatMap(\.questions) {
            // Recorded apart: the fields stand in the row of the question.
            let own = SchemaRecorder()
            guard case .reference(let name) = try own.schema(of: type),
                case .object(let members) = own.components[name]
            else { throw SchemaRecorder.Failure(description: "\(type) is no object") }
            fields["\(type)"] = members
            for (other, schema) in own.components where other != name {
                components[other] = schema
            }
            answers["\(type)"] = SchemaText.text(try recorder.schema(of: Self.answer(of: type)))
        }
        components.merge(recorder.components) { first, _ in first }
    }

    private static func answer<Asked: Question>(of type: Asked.Type) -> any Decodable.Type {
        Asked.Answer.self
    }

    // MARK: Text

    /// A table for each socket, with a row for each question.
    var tables: String {
        let tables = sockets.map { socket in
            let rows = socket.questions.map { type in
                let about = type.about
                return [
                    "`\(about.name)`", Self.text(about.users),
                    SchemaText.text(fields["\(type)"] ?? [:]),
                    answers["\(type)"] ?? "", about.summary,
                ]
            }
            let table = MarkdownTable(
                "`command`",
                "Asked by",
                "Fields",
                "`body`",
                "What it does",
                rows: rows
            )
            return "At `\(socket.path)`:\n\n\(table.text)"
        }
        let version = "The present `version` is \(controlProtocolVersion)."
        return ([version] + tables).joined(separator: "\n\n")
    }

    /// The objects in fields and answers, with their keys.
    var objects: String {
        let rows = components.sorted { $0.key < $1.key }.map { name, schema in
            ["`\(name)`", SchemaText.text(schema)]
        }
        return MarkdownTable("Object", "Keys", rows: rows).text
    }

    private static func text(_ users: Set<LocalUser>) -> String {
        let arePeople = users.isSuperset(of: .people)
        let others = LocalUser.allCases.filter { users.contains($0) && !Set.people.contains($0) }
        let first = arePeople ? "people" : "root"
        return ([first] + others.map { "\($0)" }).joined(separator: ", ")
    }
}
