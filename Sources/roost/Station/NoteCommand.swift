import ArgumentParser
import ClientSupport
import ControlProtocol

struct NoteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "note",
        abstract: "Writes down what you noticed: a window opened, a fire next door.",
        discussion: """
            The note is an event of the station: `roost events` and the dashboard's chart have it, \
            with its time. It cannot be changed afterwards.

            Examples: roost note "windows opened"
                      roost note "neighbour burns leaves" --on dust/pm25
            Exit codes: 0 done, 1 refused, 64 wrong usage, 69 no station answers.
            """
    )
    @Argument(help: "The note, at most 120 bytes.")
    var text: String

    @Option(help: "A device or channel that it is about.")
    var on: String?

    @OptionGroup var zone: ZoneOptions
    @OptionGroup var client: ClientOptions

    func run() throws {
        try client.show(answerTo: WriteNote(text, on: on)) { _, _ in ["noted: \(text)"] }
    }
}
