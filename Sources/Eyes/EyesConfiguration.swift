import Camera
import Profiles

/// The settings in `eyes.json`: command for a picture, pictures to keep, times without pictures,
/// parts of them that are black.
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
    /// The shape that is wanted: with `isShapeGiven` it must be that of a ring that is there.
    package let shape: PictureShape
    /// Whether the file has `megabytes` or `pictures`.
    package let isShapeGiven: Bool
    /// Days that pictures are kept, 1…3 650; older ones are deleted.
    package let retentionDays: Int
    package let masks: [MaskTime]
    /// Parts of every picture that are black.
    package let cover: PictureCover
    /// The live picture; nil where none is configured, or it is switched off.
    package let live: LiveSettings?
    /// Whether motions get a picture; without, the live picture is all that the camera does.
    package let records: Bool

    /// Reads a configuration.
    ///
    /// - Throws: `ConfigurationError` with all mistakes at once.
    package init(_ bytes: [UInt8], file: String) throws(ConfigurationError) {
        try self.init(try Self.parse(bytes, file: file), file: file)
    }

    /// Reads a file's content as JSON.
    ///
    /// - Throws: `ConfigurationError` for what is no JSON.
    package static func parse(
        _ bytes: [UInt8],
        file: String
    ) throws(ConfigurationError) -> JSONValue {
        do { return try JSONParser.parse(bytes) } catch {
            throw ConfigurationError(file: file, message: JSONParser.text(for: error, in: bytes))
        }
    }

    /// Reads a configuration that was parsed.
    ///
    /// - Throws: `ConfigurationError` with all mistakes at once.
    package init(_ value: JSONValue, file: String) throws(ConfigurationError) {
        let problems = ProblemList()
        guard let root = ObjectReader(value, at: "", problems) else {
            throw ConfigurationError(file: file, problems: problems.problems)
        }
        self.init(root, problems)
        guard problems.problems.isEmpty else {
            throw ConfigurationError(file: file, problems: problems.problems)
        }
    }

    /// The keys that the reader asks for, with their ranges.
    static var fields: [FieldRecorder.Field] {
        let recorder = FieldRecorder()
        let problems = ProblemList(recordingTo: recorder)
        guard let root = ObjectReader(.object([:]), at: "", problems) else { return [] }
        _ = EyesConfiguration(root, problems)
        return recorder.fields
    }

    /// What is in use where a file says no more than that there is a camera.
    static var standard: EyesConfiguration {
        get throws(ConfigurationError) {
            let values = ["camera": JSONValue.object([:]), "live": .object([:])]
            return try EyesConfiguration(.object(values), file: standardPath)
        }
    }

    /// Values by the keys of the file, without programs and the file of the pictures.
    var leaves: [String: JSONValue] {
        func seconds(_ duration: Duration) -> JSONValue { .number(duration / .seconds(1)) }
        var leaves: [String: JSONValue] = [
            "covers": .array([]), "limitSeconds": seconds(limit), "masks": .array([]),
            "record": .bool(records), "retentionDays": .number(Double(retentionDays)),
        ]
        if let camera {
            leaves["camera.device"] = .string("\(camera.choice)")
            leaves["camera.width"] = .number(Double(camera.width))
            leaves["camera.height"] = .number(Double(camera.height))
            leaves["camera.quality"] = .number(Double(camera.quality))
            leaves["camera.settleSeconds"] = seconds(camera.settle)
        }
        if let live {
            leaves["live.width"] = .number(Double(live.width))
            leaves["live.height"] = .number(Double(live.height))
            leaves["live.framesPerSecond"] = .number(Double(live.framesPerSecond))
            leaves["live.limitSeconds"] = seconds(live.limit)
            leaves["live.celsiusMax"] = .number(live.bounds.celsiusMax)
            leaves["live.freeMegabytesMin"] = .number(Double(live.bounds.freeMegabytesMin))
        }
        return leaves
    }

    /// Why parts that stay black lie elsewhere in the live picture; nil where they do not.
    ///
    /// Sizes of a program are not known here.
    package var coverTrouble: String? {
        guard !cover.areas.isEmpty, let camera, let live else { return nil }
        let (own, other) = (live.width * camera.height, live.height * camera.width)
        // A side is a whole number: 1366 × 768 and 640 × 360 have one ratio.
        guard abs(own - other) * 50 > other else { return nil }
        return "parts that stay black lie elsewhere in the live picture of \(live.width) × "
            + "\(live.height) than in pictures of \(camera.width) × \(camera.height); give both "
            + "sizes one ratio of width to height"
    }

    /// The shape to open the ring with: unless the file gives one, that which it has.
    ///
    /// It reads the card, which may block.
    package var shapeInUse: PictureShape {
        // What cannot be read is opened as a new one, which says why it cannot.
        isShapeGiven ? shape : (try? PictureFile.shape(ring)) ?? shape
    }

    private init(_ reader: ObjectReader, _ problems: ProblemList) {
        var root = reader
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
        isShapeGiven = root.has("megabytes") || root.has("pictures")
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
        let parts = PictureCover.limit
        cover = PictureCover(
            Self.texts("covers", PictureCover.Area.form, &root, limit: parts) {
                PictureCover.Area($0)
            }
        )
        records = root.bool("record") ?? true
        // Parts are of a whole picture: in one of another ratio they would lie elsewhere.
        let size = camera.map { (wide: $0.width, high: $0.height) }
        let ratio = cover.areas.isEmpty ? nil : size
        if var reader = root.object("live") {
            let settings = LiveSettings(&reader, instead: camera?.liveCommand, ratio: ratio) {
                Self.command(&$0)
            }
            live = settings.isOn ? settings : nil
        } else {
            live = nil
        }
        root.finish()
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
