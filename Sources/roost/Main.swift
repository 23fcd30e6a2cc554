import ArgumentParser
import ClientSupport
import ControlProtocol
import Core
import Glibc
import Station

struct Roost: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "roost",
        abstract: "Looks at a Roost station, and shows one without any hardware.",
        discussion: """
            Without a command it says in short how the station is.

            Try it:      roost demo --for 30s
            A station:   roost status, roost watch, roost live, roost tree
            A sensor:    roost simulator sds011 --link /tmp/sensor

            Exit codes: 0 done, 1 refused or failed, 2 a fault (status), 64 wrong usage, \
            69 no station answers.
            """,
        version: RoostVersion.text,
        subcommands: [DemoNodeCommand.self],
        groupedSubcommands: [
            CommandGroup(
                name: "See and ask",
                subcommands: [
                    StatusCommand.self, WatchCommand.self, LiveCommand.self, ReadingsCommand.self,
                    EventsCommand.self, DoseCommand.self, DevicesCommand.self, BusCommand.self,
                    TreeCommand.self,
                    RecordsCommand.self, SitesCommand.self, LedgerCommand.self, WebCommand.self,
                    DoctorCommand.self,
                ]
            ),
            CommandGroup(
                name: "Change",
                subcommands: [
                    ModeCommand.self, MuteCommand.self, UnmuteCommand.self, NoteCommand.self,
                    SettingsCommand.self, CameraSettingsCommand.self, ClockCommand.self,
                    ClaimCommand.self,
                ]
            ),
            CommandGroup(
                name: "Alerts and uploads",
                subcommands: [
                    AlertsCommand.self, CourierOutboxCommand.self, CourierProgramCommand.self,
                    CourierTargetCommand.self, CourierReceiverCommand.self,
                    CourierSecretCommand.self, CourierSubscribersCommand.self,
                    CourierStationsCommand.self,
                ]
            ),
            CommandGroup(
                name: "Card and history",
                subcommands: [
                    BackupCommand.self, RestoreCommand.self, ResetCommand.self,
                    ExportCommand.self, ImportCommand.self, StoreCommand.self, UpdateCommand.self,
                    ProvisionCommand.self,
                ]
            ),
            CommandGroup(
                name: "Try and develop",
                subcommands: [
                    DemoCommand.self, SimulatorCommand.self, ProfilesCommand.self,
                ]
            ),
        ]
    )

    func run() throws {
        let client = try ClientOptions.reaching(nil)
        do {
            let report = try client.withStation { try await $0.ask(GetStatus()) }
            for line in StationInBrief.lines(report, .forStandardOutput) { Output.line(line) }
            if !report.faults.isEmpty { throw ExitCode(2) }
        } catch let failure as ClientFailure where failure.isAbsence {
            for line in StationInBrief.absence(failure.message) { Output.line(line) }
            throw ExitCode(unavailableExitCode)
        }
    }
}

@main
enum Main {
    static func main() {
        signal(SIGPIPE, SIG_IGN)
        do {
            var command = try Roost.parseAsRoot()
            try command.run()
        } catch let failure as ClientFailure {
            Output.error(failure.message)
            exit(failure.exitCode)
        } catch {
            let words = CommandLine.arguments.dropFirst()
            if Roost.exitCode(for: error) == .validationFailure,
                let message = UnknownCommand.message(words, of: Roost.self)
            {
                Output.error(message)
            } else {
                Roost.exit(withError: error)
            }
            exit(ExitCode.validationFailure.rawValue)
        }
    }
}
