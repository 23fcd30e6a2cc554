import ArgumentParser
import ControlProtocol
import Testing

@testable import roost

@Suite struct JSONDialectTests {
    /// Commands with a format of their own, without a report, or that run another program.
    private static let others: Set<String> = [
        "export", "demo-node", "web", "reset", "outbox", "courier", "target", "receiver", "secret",
        "subscribers", "bind",
    ]

    private static func leaves(_ command: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
        let own = command.configuration.subcommands
        return own.isEmpty ? [command] : own.flatMap(leaves)
    }

    @Test func everyCommandTakesJSON() {
        let without = Self.leaves(Roost.self).filter { command in
            !Self.others.contains(command._commandName)
                && !Roost.helpMessage(for: command, columns: 200).contains("--json")
        }
        #expect(without.map { $0._commandName } == [])
    }

    @Test func everyCommandThatReadsAStoreTakesItsFolderAsAnOption() {
        let readers: [any ParsableCommand.Type] = [
            ReadingsCommand.self, EventsCommand.self, LedgerCommand.self, ExportCommand.self,
            ImportCommand.self, StoreStatusCommand.self, StoreCheckCommand.self,
            StoreSeriesCommand.self, StoreCompactCopyCommand.self,
        ]
        let without = readers.filter { command in
            !Roost.helpMessage(for: command, columns: 200).contains("--store")
        }
        #expect(without.map { $0._commandName } == [])
    }

    @Test func namesAreCamelCaseAndNothingIsLeftAsEmptyText() throws {
        var status = WatchFixture.status(faults: 1)
        status.lasers = [
            LaserReport(
                part: "nova-sds011 A160",
                device: "dust",
                hours: 12.5,
                lifeHours: nil,
                daysLeft: nil,
                endOfLife: nil
            )
        ]
        let line = try ControlCodec.line(status)
        #expect(!line.contains("null") && !line.contains("\"\""))
        let keys = line.matches(of: #/"([^"]+)":/#).map(\.output.1)
        #expect(keys.count > 30)
        let wrong = keys.filter { $0.wholeMatch(of: #/[a-z][A-Za-z0-9]*/#) == nil }
        #expect(wrong.isEmpty)
    }
}
