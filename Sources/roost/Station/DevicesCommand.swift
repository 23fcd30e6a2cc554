import ArgumentParser
import ClientSupport
import ControlProtocol
import HardwareIO

struct DevicesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "The devices: lists them, adds, names, ignores and removes them.",
        discussion: """
            What is changed here is kept beside the store, and needs no restart. What the \
            configuration file sets wins, and is changed there.

            Examples: roost devices
                      roost devices add court --at 192.168.1.20
                      roost devices rename sds011 balcony
            """,
        subcommands: [
            DevicesListCommand.self, AdoptCommand.self, IgnoreCommand.self, RenameCommand.self,
            ForgetCommand.self, DevicesAddCommand.self, DevicesSetCommand.self,
            DevicesRemoveCommand.self, DevicesRecordCommand.self, DevicesPinsCommand.self,
            DevicesTryCommand.self,
        ],
        defaultSubcommand: DevicesListCommand.self
    )
}

struct DevicesListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "The devices, what their drivers report, and what was detected and why.",
        discussion: """
            Examples: roost devices
                      roost devices --json
            """
    )
    @Option(help: "The socket of roost-eyes.")
    var eyes = StandardSocket.camera

    @OptionGroup var client: ClientOptions

    func run() throws {
        var report = try client.withStation {
            try await $0.ask(GetDevices())
        }
        report.camera = try? SocketLine.camera(eyes, patience: .seconds(3)).ask(GetCameraStatus())
        try client.show(report, ReportText.devices)
    }
}
