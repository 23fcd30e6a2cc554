import ArgumentParser
import ClientSupport
import ControlProtocol

struct SettingsNewIDCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new-id",
        abstract: "Gives the station another id: for a copy of another station's card.",
        discussion: """
            Two stations with one id are one station to those who get their data. One that has \
            another id is a new one to them: Home Assistant makes all entities anew, and the old \
            ones get nothing more. So it asks first. The id is new at once; the courier uses it \
            from its next start on: sudo systemctl restart roost-courier

            Example: roost settings new-id
            """
    )
    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup var client: ClientOptions

    func run() throws {
        if !yes {
            Output.error(
                "Home Assistant and other servers know this station by its id: with another "
                    + "one it is a new station there, and what they have of the old one gets "
                    + "nothing more."
            )
            Output.error("Type yes to go on: ")
            guard readLine()?.lowercased() == "yes" else { throw ExitCode(1) }
        }
        try client.show(answerTo: RenewStationID()) { report, _ in
            ["the station's id is now \(report.stationID ?? "not known")"]
        }
    }
}
