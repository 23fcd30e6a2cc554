import ArgumentParser
import ClientSupport
import ControlProtocol
import CourierIO
import Glibc
import HardwareIO
import LinuxIO
import RoostCourier

struct SubscribersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "subscribers",
        abstract: "Lists the phones and browsers that get notices, and moves them in and out.",
        discussion: """
            Addresses are never shown: who has one can send to it.

            Examples: roost subscribers
                      sudo roost subscribers --state /mnt/card/roost-courier
                      sudo roost subscribers import tokens.data key.key
                      sudo roost subscribers export tokens.data key.key
            """,
        subcommands: [
            SubscribersListCommand.self, SubscribersImportCommand.self,
            SubscribersExportCommand.self,
        ],
        defaultSubcommand: SubscribersListCommand.self
    )
}

struct SubscribersListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the first 200 subscribers, by labels.",
        discussion: """
            Without --state the courier that runs is asked. With it the folder's files are read, \
            also those of a card; nothing is written.

            Examples: roost subscribers list --json
                      sudo roost subscribers --state /mnt/card/roost-courier
            """
    )

    @Option(help: "A folder of subscribers and their keys, read without a courier.")
    var state: String?

    @OptionGroup var courier: CourierOptions

    func run() throws {
        let report =
            try state.map(Self.report)
            ?? courier.ask(GetSubscribers())
        guard !courier.json else { return Output.line(try ControlCodec.line(report)) }
        if report.count == 0 { Output.line("nothing has subscribed yet") }
        for entry in report.subscribers {
            let since = entry.since.map { ", since \($0)" } ?? ""
            let every = entry.every % 60 == 0 ? "\(entry.every / 60) min" : "\(entry.every) s"
            Output.line(
                "\(entry.label)  \(entry.host), at most one in \(every), \(entry.language)\(since)"
            )
        }
        let more = report.count - report.subscribers.count
        if more > 0 { Output.line("and \(more) more") }
        for fault in report.faults { Output.line("subscribers.data, \(fault)") }
    }
}

extension SubscribersListCommand {
    /// Reads the subscribers in a folder.
    private static func report(_ folder: String) throws -> SubscribersReport {
        guard access(folder, F_OK) == 0 else {
            Output.error("\(folder): \(String(cString: strerror(errno)))")
            throw ExitCode(1)
        }
        return try SubscriberFolder.use(folder) { try await $0.reportOfFolder() }
    }
}

/// Opens the files of subscribers without a courier.
private enum SubscriberFolder {
    /// - Throws: `ExitCode` after a line that says what is wrong.
    static func use<Value: Sendable>(
        _ folder: String,
        _ body: @escaping @Sendable (SubscriberStore) async throws -> Value
    ) throws -> Value {
        let loop = try EventLoop()
        do {
            return try loop.run {
                let files = CourierFolder.ofProcess(folder, on: try DiskThread(name: "files"))
                return try await body(SubscriberStore(files, clock: loop.clock))
            }
        } catch let error as CourierFilesError {
            Output.error(error.description)
        } catch let error as PushMistake {
            Output.error(error.description)
        } catch let error as CryptoFailure {
            Output.error(error.description)
        }
        throw ExitCode(1)
    }
}

/// Option with the folder of subscribers, for a courier that does not run.
private struct SubscriberLocation: ParsableArguments {
    @Option(help: "The folder of subscribers and their keys.")
    var state = CourierFolder.standard

    @Option(help: "The courier's socket, which has to be closed.")
    var control = StandardSocket.courier

    private func isAnswered(_ loop: EventLoop) throws -> Bool {
        do {
            try LocalSocket.connect(path: control, on: loop).close()
            return true
        } catch {
            return false
        }
    }

    /// Runs `body` on the files while no courier does.
    func work(
        _ body: @escaping @Sendable (SubscriberStore) async throws -> String
    ) throws {
        if try isAnswered(EventLoop()) {
            Output.error(
                "a courier runs, and would write over it: `systemctl stop roost-courier` first"
            )
            throw ExitCode(1)
        }
        Output.line(try SubscriberFolder.use(state, body))
    }
}

struct SubscribersImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Adds the phones of another courier, or of the AirQuality project's server.",
        discussion: """
            Those that are there already stay as they are. Stop the courier first, and let its \
            user own the folder again: chown -R roost-courier: /var/lib/roost-courier

            Example: sudo roost subscribers import tokens.data key.key
            """
    )

    @Argument(help: "The file of lines, as tokens.data.")
    var file: String

    @Argument(help: "The file with its key of 32 bytes, as key.key.")
    var key: String

    @OptionGroup private var place: SubscriberLocation

    func run() throws {
        let limit = 16 << 20
        let (bytes, other): ([UInt8], [UInt8])
        do {
            bytes = try FileBytes.read(file, limit: limit)
            other = try FileBytes.read(key, limit: 33)
        } catch {
            Output.error("\(error)")
            throw ExitCode(1)
        }
        let name = file
        try place.work { book in
            let (added, faults) = try await book.merge(bytes, key: other)
            for fault in faults { Output.error("\(name), \(fault)") }
            return "\(added) added, \(faults.count) lines left out"
        }
    }
}

struct SubscribersExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes the phones as the AirQuality project's server reads them.",
        discussion: """
            The key opens the file: keep both as you keep passwords. Browsers stay out, as their \
            push services know this station's key alone.

            Example: sudo roost subscribers export tokens.data key.key
            """
    )

    @Argument(help: "The new file of lines.")
    var file: String

    @Argument(help: "The new file of the key.")
    var key: String

    @OptionGroup private var place: SubscriberLocation

    func run() throws {
        let (file, key) = (file, key)
        try place.work { book in
            let (bytes, other, count) = try await book.export()
            try Self.write(bytes, file)
            try Self.write(other, key)
            return "\(count) phones in \(file), their key in \(key)"
        }
    }

    /// Writes a new file; it never overwrites one.
    private static func write(_ bytes: [UInt8], _ path: String) throws {
        try FileBytes.put(bytes, path, isNew: true)
    }
}
