import ArgumentParser
import ClientSupport
import ControlProtocol

struct DevicesAddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Adds a device at an address of the local network, or on pins.",
        discussion: """
            Addresses of the internet are refused, and those of this computer unless `reach` in \
            the configuration has them. A line that another device or program has is refused; \
            `roost devices pins` shows the free ones. The lamps of a traffic light have the name \
            lights.

            Examples: roost devices add court --at 192.168.1.20
                      roost devices add court --at http://board.local:3000/ --every 30s
                      roost devices add meter --at 192.168.1.21 --type generic-http-line
                      roost devices add door --line GPIO17 --type hc-sr501
                      roost devices add lamp --line GPIO22 --type led --shows motion
                      roost devices add lights --lines 9,10,11 --type traffic-light
            Exit codes: 0 done, 1 refused, 64 wrong usage, 69 no station answers.
            """
    )
    @Argument(help: "Its name: 1 to 64 letters, digits, - _ or ., neither - nor . the first.")
    var name: String

    @Option(help: "Its address, as 192.168.1.20 or http://name:port/path.")
    var at: String?

    @OptionGroup var pins: PinOptions

    @Option(
        help: "Its type: a profile's id, as in `roost profiles list`; default: milano-board."
    )
    var type: String?

    @Option(help: "From one request to the next, 1s to 1h; default: the profile's.")
    var every: DurationArgument?

    @OptionGroup var client: ClientOptions

    func validate() throws {
        guard [at != nil, pins.line != nil, pins.lines != nil].count(where: \.self) == 1 else {
            throw ValidationError("give one of --at, --line and --lines")
        }
        if at == nil, type == nil {
            throw ValidationError("say what is on the pin: --type led, button or hc-sr501")
        }
    }

    func run() throws {
        var question = ConfigureDevice(name, address: at, seconds: every?.seconds)
        pins.add(to: &question)
        question.profile = type ?? "milano-board"
        question.isNew = true
        try client.show(answerTo: question, ReportText.device(name))
    }
}

struct DevicesSetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Changes title, address, pins, light or interval of a device.",
        discussion: """
            The title is what people read, such as Klasse 3b; address, pins and what a lamp shows \
            are those of a device that was added; the interval of each device whose \
            interval the configuration file does not set. `roost devices rename` changes its name.

            Examples: roost devices set sds011 --title "Klasse 3b"
                      roost devices set court --at 192.168.1.21
                      roost devices set sds011 --every 10m
                      roost devices set door --line GPIO27
                      roost devices set lamp --shows level --follows dust
                      roost devices set bell --resets on
            Exit codes: 0 done, 1 refused, 64 wrong usage, 69 no station answers.
            """
    )
    @Argument(help: "A device's name, as in `roost devices`.")
    var name: String

    @Option(help: "What people call it, 1 to 64 characters; empty takes that back.")
    var title: String?

    @Option(help: "Its new address, as 192.168.1.20 or http://name:port/path.")
    var at: String?

    @OptionGroup var pins: PinOptions

    @Option(help: "From one sample to the next: 1s to 1h of an HTTP device, else 1m to 24h.")
    var every: DurationArgument?

    @OptionGroup var client: ClientOptions

    func validate() throws {
        guard title != nil || at != nil || every != nil || !pins.isEmpty else {
            throw ValidationError(
                "give --title, --at, --line, --lines, --shows, --follows, --resets or --every"
            )
        }
    }

    func run() throws {
        var question = ConfigureDevice(name, address: at, seconds: every?.seconds)
        question.title = title
        pins.add(to: &question)
        try client.show(answerTo: question, ReportText.device(name))
    }
}

struct DevicesRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Removes a device that was added.",
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
