import ControlProtocol
import Glibc
import Testing

/// The parts of `docs/reference` that are made from types; `scripts/reference` writes them.
@Suite struct ReferenceTests {
    private static func sections() throws -> [ReferenceSection] {
        let questions = try QuestionReference()
        let routes = try RouteReference(try ServedRoutes.all())
        let shared = Set(questions.components.keys)
        return [
            ReferenceSection(file: "docs/reference/api.md", name: "refusals", text: refusals),
            ReferenceSection(file: "docs/reference/api.md", name: "routes", text: routes.table),
            ReferenceSection(
                file: "docs/reference/api.md",
                name: "objects",
                text: routes.objects(without: shared)
            ),
            ReferenceSection(
                file: "docs/reference/commands.md",
                name: "commands",
                text: CommandReference.text
            ),
            ReferenceSection(
                file: "docs/reference/json.md",
                name: "questions",
                text: questions.tables
            ),
            ReferenceSection(
                file: "docs/reference/json.md",
                name: "objects",
                text: questions.objects
            ),
        ]
    }

    private static var refusals: String {
        let rows = RefusalCode.allCases.map {
            ["`\($0.rawValue)`", "\($0.status)", "\($0.exitCode)", $0.title]
        }
        return MarkdownTable("Code", "Status", "Exit", "Title", rows: rows).text
    }

    @Test func thePagesAreAsTheProgramsAre() throws {
        let isWriting = getenv("ROOST_REFERENCE") != nil
        for section in try Self.sections() {
            if isWriting { try section.write() }
            let stale = try section.firstStaleLine
            #expect(stale == nil, "\(section.file), \(section.name): run scripts/reference")
        }
    }

    @Test func aSectionIsBetweenItsMarks() throws {
        let section = ReferenceSection(file: "page", name: "b", text: "new")
        let page = "<!-- a -->\n1\n<!-- end -->\n<!-- b -->\n2\n<!-- end -->\n3\n"
        let wanted = "<!-- a -->\n1\n<!-- end -->\n<!-- b -->\n\nnew\n\n<!-- end -->\n3\n"
        #expect(try section.written(into: page) == wanted)
        #expect(try section.written(into: wanted) == wanted)
        for broken in ["", "<!-- b -->\n", "<!-- b --><!-- b --><!-- end -->"] {
            #expect(throws: ReferenceSection.Failure.self) { try section.written(into: broken) }
        }
    }
}
