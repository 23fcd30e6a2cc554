import Core
import FoundationEssentials
import Glibc
import HTTPTypes
import TestSupport
import Testing

@testable import RoostWeb

/// Sends malformed requests from a fixed seed: none causes an internal error or admits a stranger.
///
/// `ROOST_FUZZ_COUNT=1000000` makes it the long form.
@Suite struct GateFuzzTests {
    private static let count =
        getenv("ROOST_FUZZ_COUNT").flatMap { Int(String(cString: $0)) } ?? Exhaustive.requests

    @Test func answersEverythingWithoutAnError() async throws {
        let stage = try AccountsStage(extra: [
            Route(.get, "/a/{hash}/{file*}", .anyone) { .text($0.parameters["file"] ?? "") }
        ])
        _ = try await stage.claim()
        let before = stage.accounts.roster
        var noise = Noise(seed: 15)
        var statuses: [Int: Int] = [:]
        for number in 0..<Self.count {
            let (head, body) = noise.request(number)
            let answer = Answer(await stage.responder.answer(head) { _ in body })
            statuses[answer.status, default: 0] += 1
            #expect(answer.status != 500, "\(number): \(head.target): \(answer.body)")
            #expect(answer.headers[.setCookie]?.contains("Max-Age=15552000") != true)
            guard answer.status >= 400 else { continue }
            #expect(answer.headers[.contentType] == "application/problem+json")
            let isJSON = (try? JSONBody.decoded(Shape.self, from: Array(answer.body.utf8))) != nil
            #expect(isJSON, "\(number): \(answer.body)")
        }
        #expect(stage.accounts.roster == before)
        // It came through each door, not only the first.
        for status in [200, 400, 401, 403, 404, 405, 415, 421] {
            #expect(statuses[status, default: 0] > 0, "\(statuses)")
        }
    }

    @Test func readsQueriesAndEscapesWithoutATrap() {
        var noise = Noise(seed: 16)
        var (read, refused) = (0, 0)
        for _ in 0..<Self.count {
            let text = noise.text()
            if let query = try? WebQuery(parsing: text) {
                read += 1
                #expect(query.keys.count <= 32)
                for value in query.keys.flatMap(query.all) {
                    #expect(!value.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F })
                }
            } else {
                refused += 1
            }
            if let decoded = PercentCoding.decoded(text) {
                #expect(decoded.utf8.count <= text.utf8.count)
            }
        }
        #expect(read > 0 && refused > 0)
    }

    @Test func readsBodiesWithoutATrap() {
        struct Form: Decodable {
            let name: String
            let scopes: [String]
            let days: Int?
        }
        var noise = Noise(seed: 17)
        for _ in 0..<Self.count {
            do {
                _ = try JSONBody.decoded(Form.self, from: noise.body())
            } catch {
                #expect(error is Problem)
            }
        }
        // As deep as a body can be.
        let deep = [UInt8](repeating: UInt8(ascii: "["), count: 65_536)
        #expect(throws: Problem.self) { try JSONBody.decoded(Form.self, from: deep) }
    }

    private struct Shape: Decodable {
        let type: String
        let status: Int
    }
}

/// Requests, near to good ones and far from them.
private struct Noise {
    private var numbers: SplitMix64

    init(seed: UInt64) { numbers = SplitMix64(seed: seed) }

    private static let methods: [HTTPRequest.Method] = [
        .get, .head, .post, .put, .patch, .delete, .options, .trace,
    ]
    private static let paths = [
        "/api/v1/me", "/api/v1/login", "/api/v1/logout", "/api/v1/password", "/api/v1/sessions",
        "/api/v1/sessions/1", "/api/v1/tokens", "/api/v1/members/1", "/api/v1/invitations/AAAA",
        "/api/v1/claim", "/api/v1/audit", "/a/5f/js/main.js", "/api/v1", "/", "",
    ]
    private static let pieces = [
        "%", "%2", "%2F", "%2e%2e", "%00", "%0d%0a", "%C0%AF", "%FF", "%ED%A0%80", "+", "&", "=",
        "?", "#", "..", "//", "/", ";", "a", "é", "\u{202E}", "limit=", "cursor=",
        "9999999999999999999",
        "-1", "\\", "\"", "'", "<", "*", "{id}", "{file*}", "😀", "[", "]", "@", ":", "http://x/",
    ]
    private static let texts = [
        "{", "}", "[", "]", ",", ":", "\"name\"", "\"password\"", "\"email\"", "\"code\"",
        "\"new\"",
        "\"present\"", "\"x\"", "null", "true", "1", "-0", "1e400", "\"\\u0000\"", "\"\\ud800\"",
        "\"", "\\", "\u{FEFF}", " ", "\n", "9223372036854775808", "{}", "\"scopes\":[", "/*x*/",
    ]

    mutating func request(_ number: Int) -> (Gate.Head, [UInt8]) {
        var target = pick(Self.paths)
        if chance(3) { target += pick(Self.pieces) }
        if chance(3) { target += "?" + text() }
        if chance(20) { target = text() }
        var headers: HTTPFields = [.contentLength: "2"]
        headers[.origin] = pick(["http://balcony", "http://balcony", nil, "null", "http://x"])
        headers[.contentType] = pick(["application/json", "application/json", "text/plain", nil])
        if chance(4) {
            headers[.cookie] = pick(["roost_", "roost_0000=", "=;=;;", "; ", "a=b; "]) + word()
        }
        if chance(6) {
            headers[.authorization] =
                pick(["Bearer ", "bearer rst_", "Basic ", "rst_a_", "_"]) + word()
        }
        let hosts: [String?] = [
            "balcony", "balcony", "balcony", "balcony.local", "evil", nil, word(),
        ]
        let head = Gate.Head(
            pick(Self.methods),
            authority: pick(hosts),
            target: target,
            headers: headers,
            // Many addresses, so that the rate lets most through.
            peer: PeerAddress("10.1.\(number / 256 % 256).\(number % 256)")
        )
        return (head, body())
    }

    mutating func text() -> String {
        (0..<below(12)).map { _ in pick(Self.pieces) }.joined()
    }

    mutating func body() -> [UInt8] {
        var bytes = (0..<below(16)).flatMap { _ in Array(pick(Self.texts).utf8) }
        if chance(5) { bytes = Array(#"{"name":"x","scopes":["read"],"days":1}"#.utf8) }
        for _ in 0..<below(3) where !bytes.isEmpty {
            bytes[below(bytes.count)] = UInt8(truncatingIfNeeded: numbers.next())
        }
        return Array(bytes.prefix(chance(4) ? below(40) : 4_096))
    }

    /// Letters that a field may have.
    private mutating func word() -> String {
        String((0..<below(60)).map { _ in pick(Array("abcXYZ019-_=.;,:% ")) })
    }

    private mutating func pick<Item>(_ items: [Item]) -> Item { items[below(items.count)] }
    private mutating func chance(_ sides: Int) -> Bool { below(sides) == 0 }
    private mutating func below(_ bound: Int) -> Int {
        Int(numbers.next() % UInt64(max(1, bound)))
    }
}
