import Profiles

/// What `eyes.json` says of a camera that `roost-eyes` reads itself.
package struct CameraSettings: Hashable, Sendable {
    /// This program, which reads the camera in a process of its own: a driver that hangs holds up
    /// that one alone, and its end is known.
    package static let program = "/proc/self/exe"

    package let choice: CameraChoice
    /// What is asked for; the camera takes the size that is nearest to it.
    package let width: Int
    package let height: Int
    /// Of JPEG where the camera gives none itself, 1…100.
    package let quality: Int
    /// How long a camera that was just opened gets to set its exposure, 0…10 s.
    package let settle: Duration

    /// Reads the object `camera`.
    init(_ reader: inout ObjectReader) {
        let text = reader.string("device") ?? "any"
        let choice = CameraChoice(text)
        if choice == nil {
            let wanted = "any, /dev/video0 or usb:046d:0825"
            reader.problem("device", "expected \(wanted), found \"\(text)\"")
        }
        self.choice = choice ?? .any
        width = reader.whole("width", in: 16...8_192) ?? 1_280
        height = reader.whole("height", in: 16...8_192) ?? 720
        quality = reader.whole("quality", in: 1...100) ?? 80
        settle = reader.seconds("settleSeconds", in: 0...10) ?? .seconds(1)
        reader.finish()
    }

    /// One picture.
    var command: [String] {
        start + ["--width=\(width)", "--height=\(height)", "--settle=\(settle / .seconds(1))"]
    }

    /// Pictures until it is ended.
    var liveCommand: [String] {
        start + [
            "--width={width}", "--height={height}", "--frames-per-second={framesPerSecond}",
            "--endless",
        ]
    }

    private var start: [String] {
        [Self.program, "camera", "--device=\(choice)", "--quality=\(quality)"]
    }
}
