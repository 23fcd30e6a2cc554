import ArgumentParser

struct OutboxCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "outbox",
        abstract: "Says of each target what was delivered, what waits, and what was left out.",
        discussion: """
            delivered + waiting + left out = recorded, since the target was added.

            Examples: roost outbox
                      roost outbox influx --json
                      roost outbox why 2026-11-20T03:10:00Z
                      roost outbox prove influx --last 7d
                      roost outbox flush --for 5m
                      roost outbox drop influx --before 2026-11-01T00:00:00Z
            """,
        subcommands: [
            OutboxShowCommand.self, WhyCommand.self, ProveCommand.self, FlushCommand.self,
            RetryCommand.self, DropCommand.self,
        ],
        defaultSubcommand: OutboxShowCommand.self
    )
}
