import ArgumentParser
import Core

@main
struct CourierCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "roost-courier",
        abstract: "Sends what a station records and what it has to say.",
        version: RoostVersion.text
    )
}
