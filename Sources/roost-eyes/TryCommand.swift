import ArgumentParser
import Camera
import ClientSupport
import Eyes

struct TryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "try",
        abstract: "Takes one picture now and keeps it nowhere but in the file named."
    )

    @OptionGroup var options: EyesOptions

    @Option(help: "The file for the picture; without it only its size is said.")
    var output: String?

    @Flag(help: "Run the program of the live picture for five seconds, and say how it did.")
    var live = false

    func run() throws {
        let found = try options.read()
        if live { return try tryLive(found.live) }
        let program = CaptureProgram(
            found.command,
            limit: found.limit,
            byteMax: found.shape.pictureMax,
            cover: found.cover
        )
        let picture: [UInt8]
        do { picture = try program.run() } catch {
            Output.error("\(error)")
            throw ExitCode(1)
        }
        Output.line("\(picture.count) bytes")
        guard let output else { return }
        try FileBytes.put(picture, output)
    }

    private func tryLive(_ settings: LiveSettings?) throws {
        guard let settings else {
            Output.error("\(options.config) has no \"live\"; docs/reference/camera.md has its keys")
            throw ExitCode(1)
        }
        let seconds = 5
        let outcome: LiveTrial.Outcome
        do { outcome = try LiveTrial(settings).run(for: .seconds(seconds)) } catch {
            Output.error("\(error)")
            throw ExitCode(1)
        }
        guard let first = outcome.first else {
            Output.error("no picture within \(seconds) s; the program must write JPEGs")
            throw ExitCode(1)
        }
        let size = (outcome.byteCount / outcome.frameCount) >> 10
        Output.line(
            "\(outcome.frameCount) pictures in \(seconds) s, \(size) KiB each, the first after "
                + "\(Int(first / .milliseconds(1))) ms"
        )
    }
}
