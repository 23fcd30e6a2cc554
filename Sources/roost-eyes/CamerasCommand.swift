import ArgumentParser
import ClientSupport
import ControlProtocol
import Eyes

struct CamerasCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cameras",
        abstract: "Lists the video devices, and how eyes.json names each.",
        discussion: """
            Nothing is opened: some of them may give no picture, as decoders of the board.

            Example: roost-eyes cameras
            Exit codes: 0 done, 66 there is none.
            """
    )

    @Flag(help: "A line of JSON for each.")
    var json = false

    func run() throws {
        let nodes = CameraNode.all()
        for node in nodes {
            // Two cameras of one model without serial numbers only differ by their paths.
            let isAlone = nodes.count { $0.choice == node.choice } == 1
            let device = isAlone ? "\(node.choice)" : node.path
            let report = EyesReport.Camera(device: device, path: node.path, name: node.name)
            Output.line(
                json
                    ? try ControlCodec.line(report)
                    : "\(report.device)  \(report.path)  \(report.name)"
            )
        }
        guard nodes.isEmpty else { return }
        Output.error("no camera is plugged in; the Pi's own is read by rpicam-still")
        throw ExitCode(66)
    }
}
