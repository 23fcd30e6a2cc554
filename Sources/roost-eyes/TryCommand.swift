import ArgumentParser
import ClientSupport
import Eyes
import Glibc
import Pictures

struct TryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "try",
        abstract: "Takes one picture now and keeps it nowhere but in the file named."
    )

    @OptionGroup var options: EyesOptions

    @Option(help: "The file for the picture; without it only its size is said.")
    var output: String?

    func run() throws {
        let found = try options.read()
        let program = CaptureProgram(
            found.command,
            limit: found.limit,
            byteMax: found.shape.pictureMax
        )
        let picture: [UInt8]
        do { picture = try program.run() } catch {
            Output.error("\(error)")
            throw ExitCode(1)
        }
        Output.line("\(picture.count) bytes")
        guard let output else { return }
        let descriptor = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileBytes.failure(output, "cannot be written") }
        defer { close(descriptor) }
        try FileBytes.write(picture, to: descriptor, output)
    }
}
