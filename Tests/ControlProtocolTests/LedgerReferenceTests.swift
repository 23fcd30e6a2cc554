import Core
import Glibc
import Testing

/// `docs/reference/ledger.md` against the causes of gaps.
@Suite struct LedgerReferenceTests {
    @Test func itExplainsEveryCauseOnce() throws {
        let test = "Tests/ControlProtocolTests/LedgerReferenceTests.swift"
        let path = #filePath.replacing(test, with: "docs/reference/ledger.md")
        let file = try #require(fopen(path, "r"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let text = String(decoding: bytes[..<fread(&bytes, 1, bytes.count, file)], as: UTF8.self)
        let rows = text.split(separator: "\n").filter { $0.contains(" | `") }.map { line in
            let cells = line.split(separator: "|").map { $0.filter { $0 != "`" } }
            return cells.prefix(2).map { String($0.drop { $0 == " " }.dropLast()) }
        }.filter { $0[0] != "On the terminal" }
        #expect(rows.count == GapCause.allCases.count)
        let causes = GapCause.allCases.map { [$0.text, $0.rawValue] }
        #expect(Set(rows) == Set(causes))
    }
}
