import Profiles

/// The settings in `eyes.json` for the live picture; without them there is none.
package struct LiveSettings: Hashable, Sendable {
    /// The program and its arguments, 1…64; it writes JPEGs to standard output, one after another.
    ///
    /// `{width}`, `{height}` and `{framesPerSecond}` are put in.
    package let command: [String]
    /// Whether the owner named a program.
    package var isOwn: Bool { command.first != CameraSettings.program }
    /// Frames in a second, 1…30; the program's further ones are dropped.
    package let framesPerSecond: Int
    /// Whether there is a live picture.
    package let isOn: Bool
    package let width: Int
    package let height: Int
    /// Time limit of the program's first picture, 1…60 s.
    package let limit: Duration
    package let bounds: MachineBounds

    /// Reads the object `live`.
    ///
    /// - Parameters:
    ///   - instead: The command where there is none; nil if one is required.
    ///   - texts: Reads a list of texts.
    init(
        _ reader: inout ObjectReader,
        instead: [String]?,
        texts: (inout ObjectReader) -> [String]
    ) {
        let isOn = reader.bool("isOn") ?? true
        self.isOn = isOn
        framesPerSecond = reader.whole("framesPerSecond", in: 1...30) ?? 10
        width = reader.whole("width", in: 16...4_096) ?? 640
        height = reader.whole("height", in: 16...4_096) ?? 480
        limit = reader.seconds("limitSeconds", in: 1...60) ?? .seconds(15)
        bounds = MachineBounds(
            celsiusMax: reader.number("celsiusMax", in: 30...110) ?? 75,
            freeMegabytesMin: reader.whole("freeMegabytesMin", in: 0...65_536) ?? 64
        )
        let own = texts(&reader)
        let words = own.isEmpty ? instead ?? [] : own
        if words.isEmpty, isOn {
            reader.problem("command", "expected a program that writes JPEGs, and its arguments")
        }
        let values = [
            ("{width}", width), ("{height}", height), ("{framesPerSecond}", framesPerSecond),
        ]
        command = words.map { word in
            values.reduce(word) { text, pair in
                text.split(separator: pair.0, omittingEmptySubsequences: false)
                    .joined(separator: "\(pair.1)")
            }
        }
        reader.finish()
    }
}
