import ArgumentParser
import ClientSupport
import Core

@main
struct CourierCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "roost-courier",
        abstract: "Delivers what a station records, and can say what became of each sample.",
        discussion: """
            Where things go is set on the page *Outbox*, by `roost target add`, or in \
            courier.json; docs/reference/courier.md has every key.

            Examples: roost-courier check /etc/roost/courier.json
                      roost-courier run
                      roost-courier outbox
            Exit codes: 0 done, 1 failed, 64 wrong usage, 69 no courier answers, \
            78 the configuration is wrong.
            """,
        version: RoostVersion.text,
        subcommands: [
            RunCommand.self, CheckCommand.self, CourierStatusCommand.self, OutboxCommand.self,
            EntryCommand<TargetList>.self, EntryCommand<ReceiverList>.self, SendCommand.self,
            PauseCommand.self, ResumeCommand.self, SecretCommand.self, SubscribersCommand.self,
            FetchCommand.self, StationsCommand.self,
        ]
    )
}
