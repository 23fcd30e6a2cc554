import ArgumentParser
import ClientSupport
import ControlProtocol
import Devices
import FileIO
import HardwareIO
import LinuxIO
import Profiles
import Station

struct BusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bus",
        abstract: "Sensors on the header: what is on the I²C buses, and its driver.",
        discussion: """
            A look asks only addresses that a known part can have, by questions that change \
            nothing. A part that is used has its driver at each start, and is found by itself.

            Examples: roost bus
                      roost bus use 0x76
                      roost bus use 0x23 --as bh1750
                      roost bus forget 0x76
            """,
        subcommands: [
            BusLookCommand.self, BusUseCommand.self, BusForgetCommand.self, BusBindCommand.self,
        ],
        defaultSubcommand: BusLookCommand.self
    )

    /// A look may take 20 s, a driver 15 more, and a look follows.
    static let patience = Duration.seconds(60)

    static func lines(_ report: BusReport, _ paint: Paint) -> [String] {
        var lines: [String] = []
        if let outcome = report.outcome {
            lines += [outcome.sentence] + next(outcome.nextStep) + [""]
        }
        if let why = report.why { lines += [why] + next(report.nextStep) }
        for bus in report.buses {
            lines.append(paint.bold("i2c-\(bus.number)") + "  \(bus.name)")
            lines += (bus.why.map { ["  " + $0] } ?? []) + next(bus.nextStep, indent: "  ")
            if bus.parts.isEmpty, bus.why == nil { lines.append("  no known part answers") }
            for part in bus.parts {
                lines.append("  \(part.address)  \(part.sentence)")
                lines += next(part.nextStep, indent: "        ")
            }
        }
        if report.outcome == nil, !report.buses.isEmpty {
            lines.append("parts on a wire of their own need a line in /boot/firmware/config.txt:")
            lines += report.overlays.map { "  \($0.line)  \($0.name)" }
        }
        return lines
    }

    private static func next(_ step: String?, indent: String = "") -> [String] {
        step.map { ["\(indent)next: \($0)"] } ?? []
    }
}

struct BusLookCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "look",
        abstract: "What is on the I²C buses, and what reads it.",
        discussion: """
            Without a running station the command looks itself, with the rights of its user.

            Examples: roost bus
                      roost bus look --json
            Exit codes: 0 done, 1 there is no bus, or none that can be looked at.
            """
    )
    @OptionGroup var client: ClientOptions

    func run() throws {
        let report = try report()
        try client.show(report, BusCommand.lines)
        let isSeen = report.buses.contains { $0.state == .seen || $0.state == .partly }
        if !isSeen { throw ExitCode(1) }
    }

    /// The station's list; an empty one where it cannot be read, which is said.
    static func list(_ buses: any I2CBuses) -> BusPartList {
        do throws(StorageError) {
            return BusPartList(reading: try buses.readList() ?? [])
        } catch {
            Output.error("which parts are on the list cannot be read: \(error)")
            return BusPartList()
        }
    }

    private func report() throws -> BusReport {
        do {
            return try client.withStation {
                try await $0.ask(LookAtBuses(), within: BusCommand.patience)
            }
        } catch let failure as ClientFailure where failure.isAbsence {
            let (buses, profiles) = (LinuxI2C(), ProfileCatalog().profiles)
            let sights = buses.list().map { BusLook.look(at: $0, of: buses, profiles) }
            return BusSummary(
                sights: sights,
                list: Self.list(buses),
                last: buses.readResult().flatMap { BusResult(reading: $0) },
                profiles: profiles
            ).report
        }
    }
}

struct BusUseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "use",
        abstract: "Gives a part its driver, now and at each start.",
        discussion: """
            A service of root binds the part; the station finds it then and measures. With a \
            profile that ends in -direct the station reads the part without a driver.

            Examples: roost bus use 0x76
                      roost bus use 0x23 --as bh1750
                      roost bus use 0x62 --bus 1 --as sensirion-scd4x-direct
            Exit codes: 0 done, 1 refused or not bound, 64 wrong usage, 69 no station answers.
            """
    )
    @Argument(help: "The part's address, as 0x76.")
    var address: String

    @Option(help: "The number of its bus, as 1 of i2c-1; needed where several have the address.")
    var bus: Int?

    @Option(name: .customLong("as"), help: "The kernel's name of it, as bme280, or a profile's id.")
    var name: String?

    @OptionGroup var client: ClientOptions

    func run() throws {
        let question = UsePart(address.lowercased(), bus: bus, name: name)
        try BusUseCommand.show(question, client)
    }

    /// Asks, shows the answer, and fails where the part has no driver.
    static func show<Asked: Question>(
        _ question: Asked,
        _ client: ClientOptions
    ) throws where Asked.Answer == BusReport {
        let report = try client.withStation {
            try await $0.ask(question, within: BusCommand.patience)
        }
        try client.show(report, BusCommand.lines)
        let good: [BusReport.Outcome.State] = [.bound, .direct, .forgotten]
        guard let state = report.outcome?.state, good.contains(state) else { throw ExitCode(1) }
    }
}

struct BusForgetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Takes the driver of a part away again.",
        discussion: """
            What the part measured stays.

            Examples: roost bus forget 0x76
            Exit codes: 0 done, 1 refused, 64 wrong usage, 69 no station answers.
            """
    )
    @Argument(help: "The part's address, as 0x76.")
    var address: String

    @Option(help: "The number of its bus, as 1 of i2c-1; needed where several have the address.")
    var bus: Int?

    @OptionGroup var client: ClientOptions

    func run() throws {
        try BusUseCommand.show(ForgetPart(address.lowercased(), bus: bus), client)
    }
}

/// What `roost-bus.service` runs as root; no person has to.
struct BusBindCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bind",
        abstract: "Binds the parts of the station's list, as root; roost-bus.service runs it.",
        shouldDisplay: false
    )
    @Option(help: ArgumentHelp("Where the system is.", visibility: .hidden))
    var root = ""

    func run() throws {
        // Those of the programs alone: what an owner's folder adds is no name for root.
        let names = ProfileCatalog().profiles.flatMap { $0.i2c?.names ?? [] }
        do {
            for line in try BusBinder(LinuxI2C(root: root), names: Set(names)).run() {
                Output.line(line)
            }
        } catch let error as StorageError {
            throw ClientFailure(message: "the list of parts: \(error)", exitCode: 1)
        } catch let error as FileError {
            throw ClientFailure(message: "the result: \(error)", exitCode: 1)
        }
    }
}
