import ArgumentParser
import ClientSupport
import ControlProtocol

struct MuteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mute",
        abstract: "Leaves the values of a device or channel out for a while.",
        discussion: """
            The sensor goes on measuring. Each of its values is replaced by `no data: muted` \
            before the lamp, the store or anybody else sees it, and `roost ledger` says *muted by \
            you*. It survives a restart where the station has a store. What a profile works out \
            from a muted channel goes on; mute the device to leave that out too.

            Examples: roost mute balcony --for 2h
                      roost mute balcony/pm25
            Exit codes: 0 done, 1 refused, 69 no station answers.
            """
    )
    @Argument(help: "A device, or a channel as in balcony/pm25.")
    var target: String

    @Option(name: .customLong("for"), help: "90s, 15m, 2h, 7d; default: until `roost unmute`.")
    var length: DurationArgument?

    @OptionGroup var client: ClientOptions

    func run() throws {
        let question = MuteDevice(target, seconds: length?.seconds)
        try client.show(answerTo: question, ReportText.mutes(of: target))
    }
}

struct UnmuteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unmute",
        abstract: "Ends a `roost mute`.",
        discussion: """
            Example: roost unmute balcony
            Exit codes: 0 done, 1 refused, 69 no station answers.
            """
    )
    @Argument(help: "What was muted, as in `roost devices`.")
    var target: String

    @OptionGroup var client: ClientOptions

    func run() throws {
        try client.show(answerTo: UnmuteDevice(target), ReportText.mutes(of: target))
    }
}
