import ArgumentParser
import ClientSupport
import Glibc

struct CourierOutboxCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "outbox",
        abstract: "Says what became of each sample at each target, and sends what waits.",
        discussion: """
            Runs `roost-courier outbox`; `roost outbox --help` shows all there is.

            Examples: roost outbox
                      roost outbox influx --json
                      roost outbox flush --for 5m
                      roost outbox why 2026-11-20T03:10Z
            """
    )

    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []

    func run() throws { try CourierProgram.run("outbox", arguments) }
}

struct CourierProgramCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "courier",
        abstract: "Checks, tries, pauses and watches the targets of a station.",
        discussion: """
            Runs `roost-courier`; `roost courier --help` shows all there is.

            Examples: roost courier check
                      roost courier status
                      roost courier pause influx --for 2h
            """
    )

    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []

    func run() throws { try CourierProgram.run(nil, arguments) }
}

struct CourierTargetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "target",
        abstract: "Adds, changes, tries and removes the targets of what is measured.",
        discussion: """
            Runs `roost-courier target`; `roost target --help` shows all there is.

            Examples: roost target add influx influx2 url=http://192.168.1.5:8086 org=home \
                        bucket=air --secret token
                      roost target try influx
            """
    )

    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []

    func run() throws { try CourierProgram.run("target", arguments) }
}

struct CourierReceiverCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receiver",
        abstract: "Adds, changes, tries and removes those who get notices of alerts.",
        discussion: """
            Runs `roost-courier receiver`; `roost receiver --help` shows all there is.

            Examples: roost receiver add phone ntfy topic=balcony-7fk2
                      roost receiver try phone --send
            """
    )

    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []

    func run() throws { try CourierProgram.run("receiver", arguments) }
}

struct CourierSecretCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "secret",
        abstract: "Stores passwords and tokens for the courier, which no command shows again.",
        discussion: """
            Runs `roost-courier secret`; `roost secret --help` shows all there is.

            Examples: sudo roost secret set influx
                      sudo roost secret list
            """
    )

    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []

    func run() throws { try CourierProgram.run("secret", arguments) }
}

struct CourierSubscribersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "subscribers",
        abstract: "Lists the phones and browsers that get notices, and moves them in and out.",
        discussion: """
            Runs `roost-courier subscribers`; `roost subscribers --help` shows all there is.

            Examples: roost subscribers
                      sudo roost subscribers import tokens.data key.key
            """
    )

    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []

    func run() throws { try CourierProgram.run("subscribers", arguments) }
}

struct CourierStationsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stations",
        abstract: "Lists the owner's other stations, each with what it says of itself.",
        discussion: """
            Runs `roost-courier stations`; `roost stations --help` shows all there is.

            Examples: roost stations
                      roost stations --json
            """
    )

    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []

    func run() throws { try CourierProgram.run("stations", arguments) }
}

/// The courier's program, which these commands are replaced by.
enum CourierProgram {
    /// - Throws: `ClientFailure`: it is not there.
    static func run(_ command: String?, _ arguments: [String]) throws -> Never {
        let program = try SisterProgram.path("roost-courier")
        var vector = (["roost-courier"] + (command.map { [$0] } ?? []) + arguments).map {
            strdup($0)
        }
        vector.append(nil)
        execv(program, vector)
        throw ClientFailure(
            message: "\(program): \(String(cString: strerror(errno)))",
            exitCode: unavailableExitCode
        )
    }
}
