import ArgumentParser
import ClientSupport
import ControlProtocol

struct DevicesAddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Adds an HTTP device at an address of the local network.",
        discussion: """
            Addresses of the internet are refused, and those of this computer unless `reach` in \
            the configuration has them.

            Examples: roost devices add court --at 192.168.1.20
                      roost devices add court --at http://board.local:3000/ --every 30s
                      roost devices add meter --at 192.168.1.21 --type generic-http-line
            Exit codes: 0 done, 1 refused, 64 wrong usage, 69 no station answers.
            """
    )
    @Argument(help: "Its name: 1 to 64 letters, digits, - _ or ., neither - nor . the first.")
    var name: String

    @Option(help: "Its address, as 192.168.1.20 or http://name:port/path.")
    var at: String

    @Option(help: "Its type: the id of a profile for HTTP devices, as in `roost profiles list`.")
    var type = "milano-board"

    @Option(help: "From one request to the next, 1s to 1h; default: the profile's.")
    var every: DurationArgument?

    @OptionGroup var client: ClientOptions

    func run() throws {
        var question = ConfigureDevice(name, address: at, seconds: every?.seconds)
        question.profile = type
        question.isNew = true
        try client.show(answerTo: question, ReportText.device(name))
    }
}

struct DevicesSetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Changes the title, the address or the interval of a device.",
        discussion: """
            The title is what people read, such as Klasse 3b; the address is that of an HTTP \
            device that was added; the interval of each device whose \
            interval the configuration file does not set. `roost devices rename` changes its name.

            Examples: roost devices set sds011 --title "Klasse 3b"
                      roost devices set court --at 192.168.1.21
                      roost devices set sds011 --every 10m
            Exit codes: 0 done, 1 refused, 64 wrong usage, 69 no station answers.
            """
    )
    @Argument(help: "A device's name, as in `roost devices`.")
    var name: String

    @Option(help: "What people call it, 1 to 64 characters; empty takes that back.")
    var title: String?

    @Option(help: "Its new address, as 192.168.1.20 or http://name:port/path.")
    var at: String?

    @Option(help: "From one sample to the next: 1s to 1h of an HTTP device, else 1m to 24h.")
    var every: DurationArgument?

    @OptionGroup var client: ClientOptions

    func validate() throws {
        guard title != nil || at != nil || every != nil else {
            throw ValidationError("give --title, --at or --every")
        }
    }

    func run() throws {
        var question = ConfigureDevice(name, address: at, seconds: every?.seconds)
        question.title = title
        try client.show(answerTo: question, ReportText.device(name))
    }
}

struct DevicesRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Removes an HTTP device that was added.",
        discussion: """
            What it measured stays in the history.

            Example: roost devices remove court
            Exit codes: 0 done, 1 refused, 69 no station answers.
            """
    )
    @Argument(help: "Its name, as in `roost devices`.")
    var name: String

    @OptionGroup var client: ClientOptions

    func run() throws {
        try client.show(answerTo: RemoveDevice(name)) { _, _ in
            ["\(name) is removed; what it measured stays in the history"]
        }
    }
}

struct DevicesRecordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Keeps the values of a device, or only shows them.",
        discussion: """
            While it is off the device is measured and shown, the lamp follows it, and nothing of \
            it is stored: `roost ledger` says *not kept, as you asked* of that time.

            Examples: roost devices record sds011 off
                      roost devices record sds011 on
            Exit codes: 0 done, 1 refused, 64 wrong usage, 69 no station answers.
            """
    )
    enum Position: String, ExpressibleByArgument, CaseIterable {
        case on, off
    }

    @Argument(help: "A device's name, as in `roost devices`.")
    var name: String

    @Argument(help: "on or off.")
    var position: Position

    @OptionGroup var client: ClientOptions

    func run() throws {
        let question = RecordDevice(name, isOn: position == .on)
        try client.show(answerTo: question, ReportText.device(name))
    }
}
