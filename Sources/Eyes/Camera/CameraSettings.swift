import Profiles

/// The settings in `eyes.json` for a camera that `roost-eyes` reads itself.
package struct CameraSettings: Hashable, Sendable {
    /// Path of this program, which reads the camera in a process of its own.
    ///
    /// A driver that hangs blocks only that process, whose exit code says why it ended.
    package static let program = "/proc/self/exe"

    package let choice: CameraChoice
    /// Requested width; the camera uses its nearest size.
    package let width: Int
    package let height: Int
    /// Quality of the JPEG, 1…100, where the camera does not encode itself.
    package let quality: Int
    /// Time for a camera that was just opened to set its exposure, 0…10 s.
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

    /// Command that takes one picture.
    var command: [String] {
        start + ["--width=\(width)", "--height=\(height)", "--settle=\(settle / .seconds(1))"]
    }

    /// Command that takes pictures until it is ended.
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
