import Testing

@testable import Profiles

@Suite struct JSONParserTests {
    @Test(arguments: [
        ("null", JSONValue.null), ("[true, false]", .array([.bool(true), .bool(false)])),
        ("-0.5e2", .number(-50)), (#""a\n\u00b5\ud83d\ude00""#, .string("a\nµ😀")),
        (#"{"a": {}, "b": []}"#, .object(["a": .object([:]), "b": .array([])])),
    ])
    func readsValues(text: String, expected: JSONValue) throws {
        #expect(try JSONParser.parse(Array(text.utf8)) == expected)
        #expect(try JSONParser.parse(Array(expected.text.utf8)) == expected)
    }

    @Test(arguments: [
        ("", "it ends in the middle (line 1)"), ("[1,]", "unexpected ] in line 1, column 4"),
        ("01", "unexpected 1 in line 1, column 2"),
        ("1e999", "a number beyond any measure in line 1, column 1"),
        ("{\n \"a\": 1,\n \"a\": 2}", "key \"a\" for the second time in line 3, column 2"),
        (#""\ud83d""#, "half of a surrogate pair in line 1, column 7"),
        ("nul", "it ends in the middle (line 1)"),
        ("\"\u{1}\"", "unexpected byte 1 in line 1, column 2"),
        ("[] x", "unexpected x in line 1, column 4"),
        ("-", "it ends in the middle (line 1)"), (#"{"a" 1}"#, "unexpected 1 in line 1, column 6"),
    ])
    func namesFaults(text: String, expected: String) {
        let bytes = Array(text.utf8)
        do throws(JSONParser.Fault) {
            _ = try JSONParser.parse(bytes)
            Issue.record("took \(text)")
        } catch { #expect(JSONParser.text(for: error, in: bytes) == expected) }
    }

    @Test(
        arguments: [
            ([0xEF, 0xBB, 0xBF, 0x7B, 0x7D], "a byte order mark (save it as UTF-8 without one)"),
            ([0xFF, 0xFE, 0x7B, 0], "UTF-16 (save it as UTF-8)"),
            ([0xFE, 0xFF, 0, 0x7B], "UTF-16 (save it as UTF-8)"),
        ] as [([UInt8], String)]
    )
    func saysWhatToDoAboutAMark(text: [UInt8], reason: String) {
        do throws(JSONParser.Fault) {
            _ = try JSONParser.parse(text)
            Issue.record("taken")
        } catch { #expect(error.offset == 0 && error.reason == reason) }
    }

    @Test func refusesTextThatIsNotUTF8() {
        #expect(throws: JSONParser.Fault.self) { try JSONParser.parse([0x22, 0xFF, 0x22]) }
    }
}
