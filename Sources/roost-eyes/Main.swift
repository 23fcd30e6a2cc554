import ArgumentParser
import Core

@main
struct EyesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "roost-eyes",
        abstract: "Takes a picture at each motion that a station sees.",
        discussion: """
            Off until its owner chooses a camera, on the page Camera or by `roost camera set`, or \
            an eyes.json names one; docs/reference/camera.md has every key. A process of its own, \
            so that no camera disturbs the station.

            Examples: roost-eyes check /etc/roost/eyes.json
                      roost-eyes cameras
                      roost-eyes try --output now.jpg
                      roost-eyes run
            Exit codes: 0 done, 1 failed, 64 wrong usage, 78 the configuration is wrong.
            """,
        version: RoostVersion.text,
        subcommands: [
            EyesRunCommand.self, TryCommand.self, EyesCheckCommand.self, CamerasCommand.self,
            CameraCommand.self,
        ]
    )
}
