import ControlProtocol
import FoundationEssentials
import HTTPTypes
import Testing

@testable import RoostWeb

@Suite struct RefusalReasonTests {
    /// A page has a sentence for each, in each of its languages.
    @Test(arguments: ["en", "de", "it", "es", "fr"])
    func eachHasASentence(language: String) throws {
        let parts = #filePath.split(separator: "/").dropLast(3)
        let folder = "/" + parts.joined(separator: "/") + "/Sources/RoostWeb/www/strings/"
        let data = try Data(contentsOf: URL(filePath: "\(folder)refusals-\(language).json"))
        let words = try JSONDecoder().decode([String: String].self, from: data)
        let wanted = RefusalReason.allCases.filter { $0 != .other }.map { "refusal.\($0.rawValue)" }
        #expect(Set(words.keys) == Set(wanted))
    }

    @Test func goesFromTheStationToThePage() throws {
        let line = #"{"code": "bad-request", "message": "no", "reason": "position"}"#
        let failure = try JSONDecoder().decode(ControlFailure.self, from: Data(line.utf8))
        #expect(failure.reason == .position && Problem(failure).reason == .position)
        guard case .bytes(let body) = WebResponse(Problem(failure)).body else {
            Issue.record("no body")
            return
        }
        #expect(String(decoding: body, as: UTF8.self).contains(#""reason":"position""#))
    }

    /// Programs of another version may have others.
    @Test func anUnknownOneIsNoFailure() throws {
        let line = #"{"code": "busy", "message": "no", "reason": "tomorrow"}"#
        let failure = try JSONDecoder().decode(ControlFailure.self, from: Data(line.utf8))
        #expect(failure.code == .busy && failure.reason == .other)
        let plain = #"{"code": "busy", "message": "no"}"#
        #expect(try JSONDecoder().decode(ControlFailure.self, from: Data(plain.utf8)).reason == nil)
    }
}
