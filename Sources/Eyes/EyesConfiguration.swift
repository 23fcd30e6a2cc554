import Camera
import Profiles

/// The settings in `eyes.json`: command for a picture, pictures to keep, times without pictures.
package struct EyesConfiguration: Hashable, Sendable {
    /// Default path of the file; without a file there is no camera.
    package static let standardPath = "/etc/roost/eyes.json"
    /// Bytes of the file, at most.
    package static let byteLimit = 64 << 10

    /// The program and its arguments, 1…64; it writes one JPEG to standard output.
    package let command: [String]
    /// The camera that `command` reads; nil where the owner named a program.
    package let camera: CameraSettings?
    /// Time limit of the command, 1…60 s.
    package let limit: Duration
    package let ring: String
    package let shape: PictureShape
    /// Days that pictures are kept, 1…3 650; older ones are deleted.
    package let retentionDays: Int
    package let masks: [MaskTime]
    /// The live picture; nil where none is configured.
    package let live: LiveSettings?

    /// Reads a configuration.
    ///
    /// - Throws: `ConfigurationError` with all mistakes at once.
    package init(_ bytes: [UInt8], file: String) throws(ConfigurationError) {
        let value: JSONValue
        do { value = try JSONParser.parse(bytes) } catch {
            throw ConfigurationError(file: file, message: JSONParser.text(for: error, in: bytes))
        }
        let problems = ProblemList()
        guard var root = ObjectReader(value, at: "", problems) else {
            throw ConfigurationError(file: file, problems: problems.problems)
        }
        let hasCamera = root.has("camera")
        let camera = root.object("camera").map { reader in
            var reader = reader
            return CameraSettings(&reader)
        }
        self.camera = camera
        let words = Self.command(&root)
        command = camera?.command ?? words
        if words.isEmpty != hasCamera || hasCamera && camera == nil {
            let wanted = "a camera, or a command: a program that writes a JPEG, and its arguments"
            problems.add("command", "expected either \(wanted)")
        }
        limit = root.seconds("limitSeconds", in: 1...60) ?? .seconds(15)
        ring = root.absolutePath("ring") ?? PictureFile.standardPath
        let megabytes = root.whole("megabytes", in: 1...4_096) ?? 64
        if let camera, camera.settle + .seconds(2) > limit {
            problems.add("camera.settleSeconds", "with 2 s to open it, is more than limitSeconds")
        }
        // A camera's own JPEG has twice the size of one that a program was asked for.
        let standard = camera == nil ? 400 : 200
        let count = root.whole("pictures", in: 1...10_000) ?? standard
        let shape = PictureShape(megabytes: megabytes, count: count)
        if shape == nil {
            problems.add("pictures", "\(count) in \(megabytes) MiB leaves less than 8 KiB for each")
        }
        self.shape = shape ?? PictureShape.smallest
        retentionDays = root.whole("retentionDays", in: 1...3_650) ?? 14
        masks = Self.texts("masks", "times as \"22:00-06:00\"", &root, limit: 16) { MaskTime($0) }
        if var reader = root.object("live") {
            live = LiveSettings(&reader, instead: camera?.liveCommand) { Self.command(&$0) }
        } else {
            live = nil
        }
        root.finish()
        guard problems.problems.isEmpty else {
            throw ConfigurationError(file: file, problems: problems.problems)
        }
    }

    private static func command(_ reader: inout ObjectReader) -> [String] {
        texts("command", "text", &reader, limit: 64) { text in
            text.isEmpty || text.utf8.contains(0) ? nil : text
        }
    }

    private static func texts<Value>(
        _ key: String,
        _ wanted: String,
        _ reader: inout ObjectReader,
        limit: Int,
        _ make: (String) -> Value?
    ) -> [Value] {
        var values: [Value] = []
        for (index, value) in reader.array(key, limit: limit).enumerated() {
            if case .string(let text) = value, let made = make(text) {
                values.append(made)
            } else {
                reader.problem("\(key)[\(index)]", "expected \(wanted), found \(value.shown)")
            }
        }
        return values
    }
}
