import ArgumentParser
import Camera
import ClientSupport
import Eyes

struct TryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "try",
        abstract: "Takes one picture now and keeps it nowhere but in the file named.",
        discussion: """
            It is as the file and the settings of the page Camera have it: parts that they cover \
            are black.
            """
    )

    @OptionGroup var options: EyesOptions

    @Option(help: "The file for the picture; without it only its size is said.")
    var output: String?

    @Option(help: "The folder of what the owner set.")
    var state = "/var/lib/roost-eyes"

    @Flag(help: "Run the program of the live picture for five seconds, and say how it did.")
    var live = false

    func run() throws {
        let found = try configuration()
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

    /// The file with what the owner set behind it: it may say which parts are covered.
    private func configuration() throws -> EyesConfiguration {
        let settings = EyesSettings(try options.values(), path: options.config, folder: state)
        settings.load()
        if let trouble = settings.trouble {
            Output.error(trouble)
            throw ExitCode(1)
        }
        guard let found = settings.inUse.configuration else {
            Output.error("no camera is chosen, in \(options.config) or on the page Camera")
            throw ExitCode(1)
        }
        return found
    }

    private func tryLive(_ settings: LiveSettings?) throws {
        guard let settings else {
            Output.error("there is no live picture; docs/reference/camera.md says how to have one")
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
