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
    ///   - ratio: Width and height of pictures whose ratio a size that is not given has; nil for
    ///     640 × 480.
    ///   - texts: Reads a list of texts.
    init(
        _ reader: inout ObjectReader,
        instead: [String]?,
        ratio: (wide: Int, high: Int)?,
        texts: (inout ObjectReader) -> [String]
    ) {
        let isOn = reader.bool("isOn") ?? true
        self.isOn = isOn
        framesPerSecond = reader.whole("framesPerSecond", in: 1...30) ?? 10
        let sides = 16...4_096
        let given = (reader.whole("width", in: sides), reader.whole("height", in: sides))
        (width, height) = Self.size(given.0, given.1, ratio, within: sides)
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

    private static func size(
        _ width: Int?,
        _ height: Int?,
        _ ratio: (wide: Int, high: Int)?,
        within sides: ClosedRange<Int>
    ) -> (width: Int, height: Int) {
        guard let ratio else { return (width ?? 640, height ?? 480) }
        // The nearest even number, as cameras give two pixels one colour.
        func side(_ length: Int, _ part: Int, of whole: Int) -> Int {
            let nearest = (length * part + whole) / (2 * whole) * 2
            return min(max(nearest, sides.lowerBound), sides.upperBound)
        }
        let isWide = ratio.wide >= ratio.high
        let wide =
            width ?? height.map { side($0, ratio.wide, of: ratio.high) }
            ?? (isWide ? 640 : side(640, ratio.wide, of: ratio.high))
        let high =
            height ?? width.map { side($0, ratio.high, of: ratio.wide) }
            ?? (isWide ? side(640, ratio.high, of: ratio.wide) : 640)
        return (wide, high)
    }
}
