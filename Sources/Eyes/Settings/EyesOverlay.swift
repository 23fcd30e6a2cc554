import HardwareIO
import Profiles

/// The owner's settings of a camera, made while it ran: they stand behind `eyes.json`.
///
/// An object as in `eyes.json`, without what only an administrator may say: a program, and the file
/// of the pictures.
struct EyesOverlay: Hashable, Sendable {
    static let name = "settings.json"
    /// The content before the last change.
    static let last = "settings.json.last"
    /// A file that could not be used, for people to look at.
    static let damaged = "settings.json.damaged"
    /// Bytes of the file, at most: with its quotes it fits into one request.
    static let byteLimit = 16 << 10
    /// A program runs as this process does, and the file of the pictures has one size for ever.
    private static let closed: Set = ["command", "live.command", "ring", "megabytes", "pictures"]

    /// The settings that an owner may make, with their ranges, as the reader asks for them.
    static var fields: [FieldRecorder.Field] {
        EyesConfiguration.fields.filter { $0.kind != .object && !closed.contains($0.key) }
    }

    let values: [String: JSONValue]

    init(_ values: [String: JSONValue] = [:]) { self.values = values }

    /// Reads a file's content, or that of a change; ranges are checked where it is applied.
    ///
    /// - Throws: `ConfigurationError` for what is no object, is too large or has a key that is not
    ///   the owner's.
    init(_ bytes: [UInt8], file: String = name) throws(ConfigurationError) {
        guard bytes.count <= Self.byteLimit else {
            let message = "larger than \(Self.byteLimit >> 10) KiB"
            throw ConfigurationError(file: file, message: message)
        }
        let root = try EyesConfiguration.parse(bytes, file: file)
        guard case .object(let values) = root else {
            throw ConfigurationError(file: file, message: "no object, but \(root.shown)")
        }
        self.values = values
        let known = Set(Self.fields.map(\.key))
        let unknown = Self.leaves(values).keys.filter { !known.contains($0) }.sorted()
        guard unknown.isEmpty else {
            let problems = unknown.map { key in
                ConfigurationProblem(
                    place: key,
                    message: Self.closed.contains(key)
                        ? "only eyes.json may set it" : "unknown setting",
                    suggestion: Spelling.nearest(to: key, among: known)
                )
            }
            throw ConfigurationError(file: file, problems: problems)
        }
    }

    /// Content of the file, ending with a newline.
    var bytes: [UInt8] { Array((text + "\n").utf8) }

    var text: String { JSONValue.object(values).text }

    /// Changes with the content.
    var tag: String { String(CRC32.checksum(bytes), radix: 16) }

    /// The values by their whole keys: `live.width`.
    var leaves: [String: JSONValue] { Self.leaves(values) }

    /// The values of an object, and of those within it, by their whole keys; an object that is
    /// empty has none.
    static func leaves(
        _ values: [String: JSONValue],
        at place: String = ""
    ) -> [String: JSONValue] {
        var leaves: [String: JSONValue] = [:]
        for (key, value) in values {
            let path = place.isEmpty ? key : "\(place).\(key)"
            if case .object(let inner) = value, place.isEmpty {
                leaves.merge(Self.leaves(inner, at: path)) { first, _ in first }
            } else {
                leaves[path] = value
            }
        }
        return leaves
    }

    /// What is in use: the values of `file`, and the owner's where it has none.
    ///
    /// Of the owner's, a live picture is on only where `isOn` says so: its size alone is no wish.
    func behind(_ file: [String: JSONValue]) -> [String: JSONValue] {
        var own = values
        // A program takes the pictures in place of a camera, and may know no live picture.
        if file["command"] != nil {
            own["camera"] = nil
            if file["live"] == nil { own["live"] = nil }
        }
        // A camera of the file without a device is any.
        if file["camera"] != nil, case .object(var camera)? = own["camera"] {
            camera["device"] = nil
            own["camera"] = .object(camera)
        }
        if file["live"] == nil, case .object(var live)? = own["live"], live["isOn"] == nil {
            live["isOn"] = .bool(false)
            own["live"] = .object(live)
        }
        return Self.merged(own, under: file)
    }

    /// Whether there is a camera, or a program: one of the file, or a device of the owner.
    func choosesCamera(behind file: [String: JSONValue]) -> Bool {
        file["command"] != nil || file["camera"] != nil
            || leaves["camera.device", default: .null] != .null
    }

    private static func merged(
        _ own: [String: JSONValue],
        under file: [String: JSONValue]
    ) -> [String: JSONValue] {
        var merged = own
        for (key, value) in file {
            if case .object(let above) = value, case .object(let below)? = own[key] {
                merged[key] = .object(Self.merged(below, under: above))
            } else {
                merged[key] = value
            }
        }
        return merged
    }

    /// The configuration of both; nil where neither names a camera or a program.
    ///
    /// - Parameter name: The file that mistakes are of.
    /// - Throws: `ConfigurationError` with all mistakes at once.
    func configuration(
        behind file: [String: JSONValue],
        named name: String = name
    ) throws(ConfigurationError) -> EyesConfiguration? {
        var merged = behind(file)
        // Its other settings are read all the same, so that a mistake is found when it is made.
        if merged["camera"] == nil, merged["command"] == nil { merged["camera"] = .object([:]) }
        let configuration = try EyesConfiguration(.object(merged), file: name)
        return choosesCamera(behind: file) ? configuration : nil
    }
}
