import ControlProtocol
import HTTPTypes
import Logging
import Testing

@testable import RoostWeb

@Suite struct WebResponderTests {
    private struct Broken: Error {}

    private static let responder = WebResponder(
        Gate(
            RouteTable([
                Route(.get, "/api/v1/echo", .viewer) { .text($0.query.keys.sorted().joined()) },
                Route(.post, "/api/v1/echo", .member, body: .json(maxBytes: 16)) { request in
                    WebResponse(body: .bytes(request.body))
                },
                Route(.get, "/api/v1/broken", .viewer) { _ in throw Broken() },
                Route(.get, "/api/v1/stream", .viewer) { _ in
                    WebResponse(body: .stream { write in try await write([0x61]) })
                },
            ]),
            hosts: HostNames(["balcony"]),
            authenticator: OpenAuthenticator(.owner)
        ),
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    )

    private static func answer(_ head: Gate.Head, _ body: String = "") async -> WebResponse {
        await responder.answer(head) { limit in
            guard body.utf8.count <= limit else { throw Problem(.tooLarge, "too large") }
            return Array(body.utf8)
        }
    }

    private static func text(_ response: WebResponse) -> String {
        guard case .bytes(let bytes) = response.body else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }

    private struct Written: Decodable { let errors: [[String: JSONBody.Anything]] }

    /// It is written by hand: all keys are in the type that describes it, and none is missing.
    @Test func aRefusalIsAsItsType() throws {
        var problem = Problem.outOfRange("points", "points is 1 to 9")
        problem.reason = .importBusy
        let text = Self.text(WebResponse(problem))
        let bytes = Array(text.utf8)
        let view = try JSONBody.decoded(ProblemView.self, from: bytes)
        #expect(view.status == 400 && view.type == "/problems/out-of-range")
        #expect(view.errors == [Problem.Place(pointer: "/points", detail: "points is 1 to 9")])
        let all = try JSONBody.decoded([String: JSONBody.Anything].self, from: bytes)
        #expect(try SchemaRecorder().fields(of: ProblemView.self) == Set(all.keys))
        let place = try JSONBody.decoded(Written.self, from: bytes).errors[0]
        #expect(try SchemaRecorder().fields(of: Problem.Place.self) == Set(place.keys))
    }

    @Test(arguments: [
        "balcony", "balcony.local", "BALCONY.local:8088", "192.168.1.4", "[fe80::1]:80",
        "localhost:1", "balcony.local.",
    ])
    func answersToItsNames(host: String) async {
        let head = Gate.Head(.get, authority: host, target: "/api/v1/echo?a=1&b=2")
        let response = await Self.answer(head)
        #expect(response.status == .ok)
        #expect(Self.text(response) == "ab")
    }

    @Test(arguments: [
        "evil.example", "balcony.local.evil.example", "", "a b", "balcony:99999", "[::1",
        "1.2.3.4.5", "xn--balcony.local",
    ])
    func refusesOtherNames(host: String) async {
        let response = await Self.answer(
            Gate.Head(.get, authority: host, target: "/api/v1/echo")
        )
        #expect(response.status == .misdirectedRequest)
    }

    /// By default nginx holds back streamed answers, even the head.
    @Test(arguments: [("/api/v1/stream", "no"), ("/api/v1/echo", nil)])
    func aProxyKeepsNoStreamBack(target: String, buffering: String?) async throws {
        let response = await Self.answer(Gate.Head(.get, authority: "balcony", target: target))
        let name = try #require(HTTPField.Name("x-accel-buffering"))
        #expect(response.status == .ok && response.headers[name] == buffering)
    }

    @Test func aPageOfAnotherSiteChangesNothing() async {
        for origin in [nil, "http://evil.example", "null", "https://balcony", "http://balcony:81"] {
            var headers: HTTPFields = [.contentType: "application/json"]
            headers[.origin] = origin
            let head = Gate.Head(
                .post,
                authority: "balcony",
                target: "/api/v1/echo",
                headers: headers
            )
            #expect(await Self.answer(head, "{}").status == .forbidden)
        }
        let own = Gate.Head(
            .post,
            authority: "balcony",
            target: "/api/v1/echo",
            headers: [.contentType: "application/json", .origin: "http://balcony"]
        )
        #expect(Self.text(await Self.answer(own, "{}")) == "{}")
    }

    @Test func bodiesAreJSONAndBounded() async {
        let form = Gate.Head(
            .post,
            authority: "balcony",
            target: "/api/v1/echo",
            headers: [
                .contentType: "text/plain", .contentLength: "3", .origin: "http://balcony",
            ]
        )
        #expect(await Self.answer(form, "a=1").status == .unsupportedMediaType)
        let large = Gate.Head(
            .post,
            authority: "balcony",
            target: "/api/v1/echo",
            headers: [.contentType: "application/json", .origin: "http://balcony"]
        )
        #expect(await Self.answer(large, String(repeating: " ", count: 17)).status.code == 413)
    }

    @Test func aFailureSaysNothingOfItself() async {
        let head = Gate.Head(.get, authority: "balcony", target: "/api/v1/broken")
        let response = await Self.answer(head)
        #expect(response.status == .internalServerError)
        #expect(!Self.text(response).contains("Broken"))
        #expect(response.headers[.contentType] == "application/problem+json")
        #expect(HTTPField.Name("content-security-policy").flatMap { response.headers[$0] } != nil)
    }

    @Test func anotherMethodIsNamed() async {
        let head = Gate.Head(.delete, authority: "balcony", target: "/api/v1/echo")
        let response = await Self.answer(head)
        #expect(response.status == .methodNotAllowed)
        #expect(response.headers[.allow] == "GET, HEAD, POST")
    }
}
