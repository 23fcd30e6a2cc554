import ControlProtocol
import Glibc
import Testing

@Suite struct RefusalCodeTests {
    /// The table of `docs/reference/api.md`, row for row.
    @Test func theReferenceHasEachCodeOnce() throws {
        let test = "Tests/ControlProtocolTests/RefusalCodeTests.swift"
        let path = #filePath.replacing(test, with: "docs/reference/api.md")
        let file = try #require(fopen(path, "r"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 17)
        let text = String(decoding: bytes[..<fread(&bytes, 1, bytes.count, file)], as: UTF8.self)
        let lines = text.split(separator: "\n").map(String.init)
        let head = try #require(lines.firstIndex { $0.hasPrefix("| Code | Status | Exit |") })
        let rows = lines[(head + 2)...].prefix { $0.hasPrefix("|") }
        let expected = RefusalCode.allCases.map {
            "| `\($0.rawValue)` | \($0.status) | \($0.exitCode) | \($0.title) |"
        }
        #expect(Array(rows) == expected, "\(expected.joined(separator: "\n"))")
    }

    @Test func anotherBuildsCodeIsReadAsAFault() throws {
        let line = #"{"version":3,"error":{"code":"made-up","message":"no"}}"#
        #expect(throws: ControlFailure(code: .internal, message: "no")) {
            try ControlCodec.body(String.self, from: line)
        }
    }

    /// A client is not to blame for what a program answers.
    @Test(arguments: [
        "", "{", "[]", #"{"version":3}"#, #"{"version":"3","body":"x"}"#,
        #"{"version":3,"body":7}"#,
    ])
    func anAnswerThatCannotBeReadIsNoBadRequest(line: String) {
        #expect {
            try ControlCodec.body(String.self, from: line)
        } throws: { error in
            (error as? ControlFailure)?.code == .badAnswer
        }
    }

    @Test(arguments: RefusalCode.allCases)
    func eachCodeTravels(code: RefusalCode) throws {
        let failure = ControlFailure(code: code, message: "no", pointer: "/name")
        let line = try ControlCodec.line(refusing: failure)
        #expect(line.contains("\"\(code.rawValue)\""))
        #expect(throws: failure) { try ControlCodec.body(String.self, from: line) }
    }
}
