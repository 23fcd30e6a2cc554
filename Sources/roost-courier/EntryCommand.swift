import ArgumentParser
import ClientSupport
import ControlProtocol
import Core
import Profiles
import RoostCourier

/// One of the two lists of the courier: words for its commands.
protocol EntryList {
    static var section: EntrySection { get }
    /// `target`, as a person types it.
    static var name: String { get }
    static var abstract: String { get }
    /// An id, a type and options, for examples.
    static var example: (id: String, type: String, options: String) { get }
    /// Commands that only this list has.
    static var more: [any ParsableCommand.Type] { get }
}

/// Where samples go.
enum TargetList: EntryList {
    static let section = EntrySection.targets
    static let name = "target"
    static let abstract = "Adds, changes, tries and removes the targets of what is measured."
    static let example = (
        id: "influx", type: "influx2",
        options: "url=http://192.168.1.5:8086 org=home bucket=air --secret token"
    )
    static let more: [any ParsableCommand.Type] = [NearbyCommand.self]
}

/// Who gets notices of alerts.
enum ReceiverList: EntryList {
    static let section = EntrySection.receivers
    static let name = "receiver"
    static let abstract = "Adds, changes, tries and removes those who get notices of alerts."
    static let example = (id: "phone", type: "ntfy", options: "topic=balcony-7fk2")
    static let more: [any ParsableCommand.Type] = []
}

struct EntryCommand<List: EntryList>: ParsableCommand {
    static var configuration: CommandConfiguration {
        let (id, type, options) = List.example
        return CommandConfiguration(
            commandName: List.name,
            abstract: List.abstract,
            discussion: """
                A change is in use at once, and outlives a restart. Entries of courier.json are \
                changed there: the file counts. docs/reference/courier.md has every type and key.

                Examples: roost \(List.name) add \(id) \(type) \(options)
                          roost \(List.name) try \(id)
                          roost \(List.name) remove \(id)
                Exit codes: 0 done, 1 refused or not reached, 64 wrong usage, \
                69 no courier answers.
                """,
            subcommands: [
                EntryAddCommand<List>.self, EntrySetCommand<List>.self, EntryTryCommand<List>.self,
                EntryShowCommand<List>.self, EntryRemoveCommand<List>.self,
                EntryUndoCommand<List>.self,
            ] + List.more
        )
    }
}

/// Options of an entry as a person types them.
struct EntryOptionArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "Options as KEY=VALUE; true, false, numbers, [ and { are JSON, all else is text.",
            valueName: "key=value"
        )
    )
    var options: [String] = []

    @Option(help: "The key of a password or token, which is read without echo or from a pipe.")
    var secret: [String] = []

    /// The options as JSON.
    ///
    /// - Throws: `ValidationError`.
    func fields() throws -> [String: JSONValue] {
        try options.reduce(into: [:]) { fields, option in
            let parts = option.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw ValidationError("\(option) is no KEY=VALUE")
            }
            fields[String(parts[0])] = Self.value(String(parts[1]))
        }
    }

    private static func value(_ text: String) -> JSONValue {
        guard let value = try? JSONParser.parse(Array(text.utf8)) else { return .string(text) }
        return value
    }

    /// Reads the secrets, one after the other.
    func secrets() throws -> [String: String]? {
        guard !secret.isEmpty else { return nil }
        return try secret.reduce(into: [:]) { secrets, key in
            secrets[key] = try HiddenText.read("\(key), which is not shown: ")
        }
    }
}

struct EntryAddCommand<List: EntryList>: ParsableCommand {
    static var configuration: CommandConfiguration {
        let (id, type, options) = List.example
        return CommandConfiguration(
            commandName: "add",
            abstract: "Adds a \(List.name), or replaces one that was added so.",
            discussion: "Example: roost \(List.name) add \(id) \(type) \(options)"
        )
    }

    @Argument(help: "A name of your choice: 1 to 32 of a…z, 0…9, - and _.")
    var id: String

    @Argument(help: "Its type; docs/reference/courier.md lists them.")
    var type: String

    @OptionGroup var given: EntryOptionArguments
    @OptionGroup var options: CourierOptions

    func run() throws {
        var fields = try given.fields()
        fields["type"] = .string(type)
        let question = ConfigureEntry(
            id,
            in: List.section,
            JSONValue.object(fields).text,
            secrets: try given.secrets()
        )
        try options.show(
            try options.ask(question),
            "\(id) is in use; `roost \(List.name) try \(id)` tries the way"
        )
    }
}

struct EntrySetCommand<List: EntryList>: ParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "set",
            abstract: "Changes options of a \(List.name); those that are not given stay.",
            discussion: "Example: roost \(List.name) set \(List.example.id) local=true"
        )
    }

    @Argument(help: "The \(List.name)'s id.")
    var id: String

    @OptionGroup var given: EntryOptionArguments
    @OptionGroup var options: CourierOptions

    func run() throws {
        let report = try options.ask(GetEntry(id))
        guard case .object(var fields)? = try? JSONParser.parse(Array(report.entry.utf8)) else {
            throw ClientFailure(message: "the courier's answer cannot be read", exitCode: 1)
        }
        // Secrets of the page keep their values where they are not given.
        fields = fields.filter { !CourierConfiguration.isOwnSecret($0.value) }
        // null takes an option back, a secret as well.
        for (key, value) in try given.fields() { fields[key] = value }
        let question = ConfigureEntry(
            id,
            in: report.section,
            JSONValue.object(fields).text,
            secrets: try given.secrets()
        )
        try options.show(try options.ask(question), "\(id) is changed, and in use")
    }
}

struct EntryShowCommand<List: EntryList>: ParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "show",
            abstract: "Shows the options of a \(List.name), without the values of secrets.",
            discussion: "Example: roost \(List.name) show \(List.example.id)"
        )
    }

    @Argument(help: "The \(List.name)'s id.")
    var id: String

    @OptionGroup var options: CourierOptions

    func run() throws {
        let report = try options.ask(GetEntry(id))
        if options.json { return Output.line(try ControlCodec.line(report)) }
        let place = report.origin == .file ? "courier.json" : "the page or a command"
        Output.line("\(report.id), set in \(place): \(report.entry)")
    }
}

struct EntryTryCommand<List: EntryList>: ParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "try",
            abstract: "Tries the way to a \(List.name): name, connection, certificate, log-in.",
            discussion: """
                Sends no data of the station; with --send a receiver gets a message marked TEST.

                Example: roost \(List.name) try \(List.example.id)
                """
        )
    }

    @Argument(help: "The \(List.name)'s id.")
    var id: String

    @Flag(help: "Send a receiver a message that is marked TEST.")
    var send = false

    @OptionGroup var options: CourierOptions

    func run() throws {
        let report = try options.ask(
            TryEntry(id, sends: send),
            within: CourierOptions.serverLimit
        )
        if options.json {
            Output.line(try ControlCodec.line(report))
        } else {
            for step in report.steps {
                let sentence = step.sentence.map { ": \($0)" } ?? ""
                Output.line("\(step.name.rawValue): \(step.state.rawValue)\(sentence)")
            }
            let server = report.server.map { "\($0) " } ?? ""
            Output.line(
                "\(server)\(report.isReached ? "is reached" : "is not reached"), "
                    + "\(report.milliseconds) ms"
            )
        }
        if !report.isReached { throw ExitCode(1) }
    }
}

struct EntryRemoveCommand<List: EntryList>: ParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "remove",
            abstract: "Removes a \(List.name) that was added on the page or by a command.",
            discussion: "Example: roost \(List.name) remove \(List.example.id)"
        )
    }

    @Argument(help: "The \(List.name)'s id.")
    var id: String

    @OptionGroup var options: CourierOptions

    func run() throws {
        try options.show(try options.ask(RemoveEntry(id)), "\(id) is removed")
    }
}

struct EntryUndoCommand<List: EntryList>: ParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "undo",
            abstract: "Brings a \(List.name) back as it was before the last change.",
            discussion: """
                With its secrets. Only the last change since the courier started comes back.

                Example: roost \(List.name) undo \(List.example.id)
                """
        )
    }

    @Argument(help: "The \(List.name)'s id.")
    var id: String

    @OptionGroup var options: CourierOptions

    func run() throws {
        let report = try options.ask(UndoEntry(id))
        let isThere = (report.targets + report.receivers).contains { $0.id == id }
        try options.show(report, "\(id) is \(isThere ? "as it was before" : "removed again")")
    }
}

extension CourierOptions {
    /// Prints what became of a change: one line, or the report as JSON.
    fileprivate func show(_ report: CourierReport, _ sentence: String) throws {
        Output.line(json ? try ControlCodec.line(report) : sentence)
    }
}
