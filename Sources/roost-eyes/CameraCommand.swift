import ArgumentParser
import ClientSupport
import Eyes
import Glibc

/// Reads a camera in a process of its own, which `roost-eyes run` starts and ends.
struct CameraCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "camera",
        abstract: "Writes a picture of a camera to standard output, or one after another.",
        discussion: """
            The camera takes the size and the rate that are nearest to what is asked for.

            Examples: roost-eyes camera > now.jpg
                      roost-eyes camera --device usb:046d:0825 --width 640 --height 480 > now.jpg
                      roost-eyes camera --endless | ffplay -f mjpeg -
            Exit codes: 0 done, 64 wrong usage, 65 no format of the camera is known, 66 no such \
            camera, 71 the system refuses, 72 libturbojpeg is missing, 74 no picture comes, 75 \
            another program has the camera, 77 no permission.
            """
    )

    @Option(help: "any, /dev/video0, usb:046d:0825 or usb:046d:0825:SERIAL.")
    var device = "any"

    @Option(help: "16…8192.")
    var width = 1_280

    @Option(help: "16…8192.")
    var height = 720

    @Option(help: "Of JPEG where the camera gives none itself, 1…100.")
    var quality = 80

    @Option(help: "1…120; without it the camera's own.")
    var framesPerSecond: Int?

    @Option(help: "Seconds that the camera gets to set its exposure, 0…10.")
    var settle = 0.0

    @Flag(help: "Until it is ended, or its output is closed.")
    var endless = false

    func validate() throws {
        let sizes = 16...8_192
        guard CameraChoice(device) != nil else {
            throw ValidationError("--device: expected any, /dev/video0 or usb:046d:0825")
        }
        guard sizes.contains(width), sizes.contains(height) else {
            throw ValidationError("--width, --height: expected 16…8192")
        }
        guard (1...100).contains(quality), (0...10).contains(settle),
            framesPerSecond.map((1...120).contains) ?? true
        else { throw ValidationError("--quality 1…100, --settle 0…10, --frames-per-second 1…120") }
    }

    func run() throws {
        let wish = CameraStream.Wish(
            width: width,
            height: height,
            framesPerSecond: framesPerSecond,
            quality: quality
        )
        do {
            let stream = try open(CameraChoice(device) ?? .any, wish)
            let first = try stream.next()
            let settled = now + settle
            var picture = first
            while now < settled { picture = try stream.next() }
            repeat {
                try FileBytes.write(picture, to: STDOUT_FILENO, "standard output")
                if endless { picture = try stream.next() }
            } while endless
        } catch let trouble as CameraTrouble {
            Output.error("\(trouble)")
            throw ExitCode(trouble.exitCode)
        }
    }

    /// The reader of a live picture that was just ended may need a moment to let go.
    private func open(
        _ choice: CameraChoice,
        _ wish: CameraStream.Wish
    ) throws(CameraTrouble) -> CameraStream {
        let end = now + 1
        while true {
            do { return try CameraStream.open(choice, wish) } catch {
                guard error == .busy, now < end else { throw error }
                _ = poll(nil, 0, 100)
            }
        }
    }

    /// Seconds of a clock that only goes forward.
    private var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
