import ArgumentParser
import Camera
import ClientSupport
import Eyes

struct EyesCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Reads the configuration and says what it means."
    )

    @Argument(help: "The configuration file.")
    var file = EyesConfiguration.standardPath

    func run() throws {
        var options = EyesOptions()
        options.config = file
        guard let found = try options.readAlone() else {
            return Output.line("names no camera: its owner chooses one, on the page Camera")
        }
        let room = found.shape.pictureMax >> 10
        let source = found.camera.map { "the camera \($0.choice)" } ?? found.command[0]
        Output.line(
            "\(source), at most \(found.limit); \(found.shape.slotCount) pictures of "
                + "at most \(room) KiB in \(found.ring), for \(found.retentionDays) days"
        )
        if !found.cover.areas.isEmpty {
            Output.line("\(found.cover.areas.count) parts of each picture are black")
        }
        if let lack = found.cover.lack {
            Output.error("\(lack)")
            throw ExitCode(1)
        }
        guard let live = found.live else { return Output.line("no live picture") }
        Output.line(
            "live picture: \(live.isOwn ? live.command[0] : source), \(live.width) × "
                + "\(live.height), at most \(live.framesPerSecond) a second"
        )
        if let trouble = found.coverTrouble { Output.line(trouble) }
    }
}
