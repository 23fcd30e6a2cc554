import ArgumentParser
import ClientSupport
import Core

@main
struct CourierCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "roost-courier",
        abstract: "Checks where a station is to send what it records, and whom notices reach.",
        discussion: """
            Sending is not built yet: this version reads its configuration and says what is wrong
            with it.

            Example: roost-courier check /etc/roost/courier.json
            Exit codes: 0 right, 1 the file cannot be read, 64 wrong usage,
            78 the configuration is wrong.
            """,
        version: RoostVersion.text,
        subcommands: [CheckCommand.self]
    )
}
