import ArgumentParser
import ControlProtocol

struct AdoptCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "adopt",
        abstract: "Detects an adapter or device again, or assigns a profile.",
        discussion: """
            Without --profile the adapter is probed again, and a device that was ignored is used \
            again. With --profile it is believed without any proof; an id is in `roost profiles \
            list`.

            Examples: roost devices adopt /dev/ttyUSB0
                      roost devices adopt /dev/ttyUSB0 --profile plantower-pms --name attic
                      roost devices adopt nova-sds011:A160 --name balcony
            Exit codes: 0 done, 1 refused, 69 no station answers.
            """
    )
    @Argument(help: "A port, an identity or a name, as in `roost devices`.")
    var device: String

    @Option(help: "What is there, by a profile's id.")
    var profile: String?

    @Option(help: "The name under which it shall read.")
    var name: String?

    @OptionGroup var client: ClientOptions

    func run() throws {
        let question = AdoptDevice(device, profile: profile, name: name)
        try client.show(answerTo: question, ReportText.device(name ?? device))
    }
}

struct IgnoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ignore",
        abstract: "Leaves an adapter or device alone from now on, until `roost devices adopt`.",
        discussion: """
            An adapter that is ignored is not even probed.

            Examples: roost devices ignore /dev/ttyUSB1
                      roost devices ignore sds011-2
            Exit codes: 0 done, 1 refused, 69 no station answers.
            """
    )
    @Argument(help: "A port, an identity or a name, as in `roost devices`.")
    var device: String
    @OptionGroup var client: ClientOptions

    func run() throws {
        try client.show(answerTo: IgnoreDevice(device), ReportText.device(device))
    }
}

struct RenameCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename",
        abstract: "Gives a device that was found another name.",
        discussion: """
            What it has measured goes with it, and so do its mutes. Where the new name has had the \
            same channels before, the two records stay apart.

            Example: roost devices rename sds011 balcony
            Exit codes: 0 done, 1 refused, 69 no station answers.
            """
    )
    @Argument(help: "A port, an identity or a name, as in `roost devices`.")
    var device: String

    @Argument(help: "The new name: 1 to 64 letters, digits, - _ or ., neither - nor . the first.")
    var name: String

    @OptionGroup var client: ClientOptions

    func run() throws {
        try client.show(answerTo: RenameDevice(device, to: name), ReportText.device(name))
    }
}

struct ForgetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Forgets a device that was found: its name, and that it was ignored.",
        discussion: """
            What it measured stays in the history. One that is plugged in is found anew.

            Example: roost devices forget plantower
            Exit codes: 0 done, 1 refused, 69 no station answers.
            """
    )
    @Argument(help: "A port, an identity or a name, as in `roost devices`.")
    var device: String
    @OptionGroup var client: ClientOptions

    func run() throws {
        try client.show(answerTo: ForgetDevice(device)) { _, _ in
            ["\(device) is forgotten; what it measured stays in the history"]
        }
    }
}
