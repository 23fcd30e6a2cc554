import ArgumentParser
import Backup
import ClientSupport
import ControlProtocol
import Glibc

/// The files of configuration for another card, with the settings of the owner.
struct SettingsExport: ParsableArguments {
    @Option(help: "With --export: a folder for roost.json, courier.json and eyes.json.")
    var output: String?

    @Option(help: "With --export: the courier's socket.")
    var courierSocket = StandardSocket.courier

    @Option(help: "With --export: the socket of roost-eyes.")
    var cameraSocket = StandardSocket.camera

    /// Prints `roost.json`, or writes a file for each program that runs.
    ///
    /// - Parameter station: The station's socket; nil for the usual one.
    /// - Throws: `ClientFailure`; nothing is written where one of the files is there already.
    func write(station: String?) throws {
        let exported = try exported(station)
        let files = exported.files
        defer { for words in exported.leftOut { Output.error("without a file: \(words)") } }
        guard let output else {
            guard let file = files.first else { return }
            Output.write(file.content, to: 1)
            Self.say(file)
            if files.count > 1 {
                Output.error("targets, receivers and the camera are files of their own: --output")
            }
            return
        }
        guard mkdir(output, 0o755) == 0 || errno == EEXIST else {
            throw FileBytes.failure(output, "mkdir")
        }
        for file in files where access("\(output)/\(file.name)", F_OK) == 0 {
            let message = "\(output)/\(file.name): is there already; move it away"
            throw ClientFailure(message: message, exitCode: 1)
        }
        for file in files {
            try FileBytes.put(Array(file.content.utf8), "\(output)/\(file.name)", isNew: true)
            Output.line("\(output)/\(file.name) is written")
            Self.say(file)
        }
    }

    /// Says on standard error what a file needs, and what is not in it.
    private static func say(_ file: ExportedFile) {
        for name in file.secrets {
            Output.error("\(file.name) needs a secret: sudo roost secret set \(name)")
        }
        for words in file.leftOut { Output.error("not in \(file.name): \(words)") }
    }

    private func exported(_ station: String?) throws -> ExportedFiles {
        let others: [BackupOwner: String] = [.courier: courierSocket, .camera: cameraSocket]
        return try BackupOptions.with(station: station, others) { station in
            try await station.exportedFiles()
        }
    }
}
