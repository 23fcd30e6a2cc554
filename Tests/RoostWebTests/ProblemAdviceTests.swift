import HTTPTypes
import Logging
import RoostWeb
import Testing

@Suite struct ProblemAdviceTests {
    private static let responder = WebResponder(
        Gate(
            RouteTable(ProblemAdvice.routes),
            hosts: HostNames(["balcony"]),
            doorman: OpenAuthenticator(.viewer)
        ),
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    )

    private static func get(_ target: String) async -> (status: Int, text: String) {
        let head = Gate.Head(.get, authority: "balcony", target: target)
        let response = await responder.answer(head) { _ in [] }
        guard case .bytes(let bytes) = response.body else { return (response.status.code, "") }
        return (response.status.code, String(decoding: bytes, as: UTF8.self))
    }

    /// The address in `type` leads to the meaning and the next step.
    @Test(arguments: Problem.Kind.allCases)
    func eachTypeHasItsPage(kind: Problem.Kind) async throws {
        let refusal = WebResponse(Problem(kind, "x"))
        guard case .bytes(let bytes) = refusal.body else { return }
        let type = "/problems/\(kind.rawValue)"
        #expect(String(decoding: bytes, as: UTF8.self).contains("\"type\":\"\(type)\""))
        let page = await Self.get(type)
        #expect(page.status == 200 && page.text.hasPrefix(kind.title))
        let json = await Self.get("/api/v1" + type)
        #expect(json.status == 200)
        #expect(json.text.contains("\"status\":\(kind.status.code)"))
        let advice = ProblemAdvice(kind)
        #expect(!advice.means.isEmpty && advice.next.hasSuffix("."))
    }

    @Test func anotherTypeIsNone() async {
        let page = await Self.get("/problems/nonsense")
        #expect(page.status == 404 && page.text.contains("bad-request"))
    }
}
