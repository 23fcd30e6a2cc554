import Core
import Glibc
import Testing

@testable import ControlProtocol

/// `docs/reference/events.md` against the kinds of events and the names of their details.
@Suite struct EventReferenceTests {
    private struct Row {
        let name: String
        let details: Set<String>
    }

    private static func rows() throws -> [Row] {
        let test = "Tests/ControlProtocolTests/EventReferenceTests.swift"
        let path = #filePath.replacing(test, with: "docs/reference/events.md")
        let file = try #require(fopen(path, "r"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let text = String(decoding: bytes[..<fread(&bytes, 1, bytes.count, file)], as: UTF8.self)
        return text.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { line in
            let cells = line.split(separator: "|")
            func quoted(_ cell: Substring) -> [String] {
                let pieces = cell.split(separator: "`", omittingEmptySubsequences: false)
                return pieces.indices.filter { $0 % 2 == 1 }.map { String(pieces[$0]) }
            }
            return Row(name: quoted(cells[0])[0], details: Set(quoted(cells[2])))
        }
    }

    @Test func itListsEveryKindOnce() throws {
        let names = try Self.rows().map(\.name)
        #expect(names.count == Set(names).count)
        #expect(Set(names) == EventKind.names)
    }

    @Test func itNamesDetailsAsJSONDoes() throws {
        for row in try Self.rows() {
            for name in row.details {
                let label = FactRow.byLabel[name]
                #expect(label == nil || label?.name == name, "\(row.name): \(name)")
                #expect(name.wholeMatch(of: #/[a-z][A-Za-z]*/#) != nil)
            }
        }
    }

    @Test func itListsTheContentOfEveryTypedKind() throws {
        var missing = MissingSamples(
            .noPlace,
            of: StreamID(1),
            from: Tick(tenths: 0),
            to: Tick(tenths: 1)
        )
        (missing.count, missing.device) = (1, "dust")
        missing.fromBoot = BootID(bytes: Array(1...16))
        missing.toBoot = missing.fromBoot
        let kinds: [EventKind] = [
            .childStarted(child: "dust"), .lineFault(.edgeStorm), .recovered(.stuckHigh),
            .deviceFound(.init(isNew: true, identity: "a", profile: "b", node: "c")),
            .deviceFound(.init(isNew: false, identity: "a", profile: "b", node: "c")),
            .httpDeviceLost(reason: "timeout"), .samplesMissing(missing),
        ]
        let rows = try Self.rows()
        for kind in kinds {
            let event = Event(at: .boot, source: "a", kind: kind)
            let row = try #require(rows.first { $0.name == kind.name })
            for name in event.details.map({ Self.name(of: $0) }) {
                #expect(row.details.contains(name), "\(kind.name): \(name)")
            }
        }
    }

    private static func name(of detail: Event.Detail) -> String {
        FactRow.byLabel[detail.key]?.name ?? detail.key
    }
}
