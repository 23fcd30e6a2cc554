import ControlProtocol
import Core
import HardwareIO
import TestSupport
import Testing

@testable import Devices
@testable import SimulationKit
@testable import Station

@Suite struct ControlBackupTests {
    private static func station(_ clock: SimulatedClock, _ folder: TestFolder) throws -> TestStation
    {
        try TestStation(
            clock,
            """
            {"mode": "live",
             "devices": [{"name": "dust", "type": "sds011", "port": "/dev/ttyUSB0"}],
             "store": {"folder": "\(folder.path)", "megabytes": 4, "journalBlocks": 64}}
            """,
            air: .drifting(seed: 5)
        )
    }

    private static let rule = #"{"channel":"*/co2","when":{"value":{"atLeast":1500}}}"#

    /// A station with a name, a rule and an hour of a laser; what it says as its part.
    private static func full(_ test: TestStation) async throws -> String {
        try await test.sleep(.seconds(3_600))
        _ = try await test.ask(ChangeSettings(#"{"title": "Balkon"}"#))
        _ = try await test.ask(ChangeRule("stuffy", rule: rule))
        return try #require(try await test.ask(BackUp(secrets: true)).body).content
    }

    @Test func aFreshStationGetsItAll() throws {
        let folders = (try TestFolder(isInMemory: true), try TestFolder(isInMemory: true))
        let (trial, untouched, again, hours) = try simulate { clock in
            let content = try await Self.station(clock, folders.0).run { try await Self.full($0) }
            return try await Self.station(clock, folders.1).run { test in
                try await test.sleep(.seconds(60))
                let trial = try await test.ask(RestorePart(content, isTrial: true)).body
                let untouched = test.station.status.name
                _ = try await test.ask(RestorePart(content, isTrial: false))
                let again = try await test.ask(RestorePart(content, isTrial: true)).body
                return (trial, untouched, again, test.station.status.lasers.first?.hours ?? 0)
            }
        }
        let shown = try #require(trial).items.map { "\($0.kind) \($0.name) \($0.change)" }
        #expect(shown.starts(with: ["setting title added", "rule stuffy added"]), "\(shown)")
        #expect(trial?.items.first?.value == "Balkon")
        #expect(untouched != "Balkon", "a look changes nothing")
        #expect(again?.items.allSatisfy { $0.change == .same } == true, "\(again?.items ?? [])")
        #expect(hours >= 0.9, "the laser's hours are those of before: \(hours)")
    }

    @Test func aPartThatIsNoneChangesNothing() throws {
        let folder = try TestFolder(isInMemory: true)
        let (refused, overlay) = try simulate { clock in
            try await Self.station(clock, folder).run { test in
                try await test.sleep(.seconds(60))
                let content = try await Self.full(test)
                var refused = 0
                for count in stride(from: 0, to: content.utf8.count - 1, by: 17) {
                    let cut = String(content.prefix(count))
                    let answer = try await test.ask(RestorePart(cut, isTrial: false))
                    refused += answer.error == nil ? 0 : 1
                }
                let after = try await test.ask(BackUp(secrets: true)).body?.content ?? ""
                return (refused, after.contains("Balkon"))
            }
        }
        #expect(refused > 3 && overlay)
    }
}
