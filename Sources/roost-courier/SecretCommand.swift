import ArgumentParser
import ClientSupport
import ControlProtocol
import Core
import CourierIO
import Glibc
import RoostCourier

struct SecretCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "secret",
        abstract: "Stores passwords and tokens, which no command shows again.",
        discussion: """
            A secret is a file that only the courier may read; courier.json has its name: \
            "token": { "secret": "influx" }. After a change: systemctl reload roost-courier.

            Examples: sudo roost secret set influx
                      printf %s "$TOKEN" | sudo roost secret set influx
                      sudo roost secret set apns < AuthKey.p8
                      sudo roost secret list
            """,
        subcommands: [SecretSetCommand.self, SecretListCommand.self, SecretRemoveCommand.self]
    )
}

/// Option with the folder of secrets.
struct SecretLocation: ParsableArguments {
    @Option(help: "The folder of secrets.")
    var folder = SecretFolder.standard

    func name(_ text: String) throws -> SecretName {
        guard let name = SecretName(text) else {
            throw ValidationError(
                "a secret's name is 1 to 64 letters, digits, ., _ and -, not beginning with a point"
            )
        }
        return name
    }
}

struct SecretSetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Stores a secret, read from the terminal without echo, or from a pipe or a file.",
        discussion: """
            Of the terminal one line is read; of a pipe or a file all of it, without the end of \
            the last line.

            Examples: sudo roost secret set influx
                      sudo roost secret set gcs.json < key.json
            """
    )

    @Argument(help: "Its name.")
    var name: String

    @OptionGroup var place: SecretLocation

    func run() throws {
        let name = try place.name(name)
        let text = try HiddenText.read("The secret \(name), which is not shown: ")
        do throws(SecretError) {
            try SecretStore(folder: place.folder).store(Secret(text), as: name)
        } catch {
            Output.error(error.description)
            throw ExitCode(1)
        }
        let lines = text.utf8.count { $0 == UInt8(ascii: "\n") } + 1
        let size = "\(text.utf8.count) bytes" + (lines > 1 ? " in \(lines) lines" : "")
        Output.line("\(name) is stored, \(size); systemctl reload roost-courier makes it count")
    }
}

struct SecretListCommand: ParsableCommand {
    private struct Row: Encodable {
        let name: String
        let ageSeconds: Double
    }

    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the names of secrets with their age.",
        discussion: "Example: sudo roost secret list --json"
    )

    @OptionGroup var place: SecretLocation

    @Flag(help: "Print JSON instead of words.")
    var json = false

    func run() throws {
        let rows: [Row]
        do throws(SecretError) {
            rows = try SecretStore(folder: place.folder).all
                .map { Row(name: $0.name.text, ageSeconds: $0.ageSeconds) }
        } catch {
            Output.error(error.description)
            throw ExitCode(1)
        }
        if json { return Output.line(try ControlCodec.line(rows)) }
        if rows.isEmpty { Output.line("\(place.folder) holds no secrets") }
        for row in rows { Output.line("\(row.name), \(durationText(seconds: row.ageSeconds)) old") }
    }
}

struct SecretRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Removes a secret.",
        discussion: "Example: sudo roost secret remove influx"
    )

    @Argument(help: "Its name.")
    var name: String

    @OptionGroup var place: SecretLocation

    func run() throws {
        let name = try place.name(name)
        do throws(SecretError) {
            try SecretStore(folder: place.folder).remove(name)
        } catch {
            Output.error(error.description)
            throw ExitCode(1)
        }
        Output.line("\(name) is removed")
    }
}
