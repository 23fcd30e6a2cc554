import ArgumentParser
import ClientSupport
import Core
import Glibc
import Station

struct Roost: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "roost",
        abstract: "Looks at a Roost station, and shows one without any hardware.",
        discussion: """
            Try it:      roost demo --for 30s
            A station:   roost status, roost watch, roost live, roost tree
            A sensor:    roost simulator sds011 --link /tmp/sensor

            Exit codes: 0 done, 1 refused or failed, 2 a fault (status), 64 wrong usage,
            69 no station answers.
            """,
        version: RoostVersion.text,
        subcommands: [
            DemoCommand.self, StatusCommand.self, TreeCommand.self, DevicesCommand.self,
            WatchCommand.self, WebCommand.self,
            NoteCommand.self, DoseCommand.self, LiveCommand.self, ReadingsCommand.self,
            EventsCommand.self, RecordsCommand.self,
            ModeCommand.self,
            SimulatorCommand.self, StoreCommand.self, LedgerCommand.self, ExportCommand.self,
            ImportCommand.self, ProfilesCommand.self, AdoptCommand.self, IgnoreCommand.self,
            RenameCommand.self, ForgetCommand.self, DeviceCommand.self, RecordCommand.self,
            SettingsCommand.self, SetCommand.self, MuteCommand.self,
            UnmuteCommand.self, ClockCommand.self, ClaimCommand.self, StationCommand.self,
            DoctorCommand.self, CourierOutboxCommand.self, CourierProgramCommand.self,
            CourierTargetCommand.self, CourierReceiverCommand.self, CourierSecretCommand.self,
            CourierSubscribersCommand.self, CourierStationsCommand.self, SitesCommand.self,
            AlertsCommand.self, UpdateCommand.self, ProvisionCommand.self,
            DemoNodeCommand.self,
        ]
    )
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
            Roost.exit(withError: error)
        }
    }
}
