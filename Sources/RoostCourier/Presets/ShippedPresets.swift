import Profiles

/// The files of `courier-presets/`, which are part of the binary.
enum ShippedPresets {
    /// The JSON Schema of a preset.
    static let schema = PackageResources.preset_schema_json

    /// One line for each preset, sorted; a test keeps this list and the folder equal.
    static let files: [(id: String, bytes: [UInt8])] = [
        ("ntfy", PackageResources.ntfy_json),
        ("seed", PackageResources.seed_json),
        ("telegram", PackageResources.telegram_json),
        ("webhook", PackageResources.webhook_json),
    ]

    /// Returns the shipped preset of an id; nil when there is none.
    ///
    /// - Throws: `ConfigurationError` for a file that the tests never saw.
    static func preset(_ id: String) throws(ConfigurationError) -> Preset? {
        for file in files where file.id == id {
            return try PresetReader.read(file.bytes, file: "shipped/\(id).json")
        }
        return nil
    }
}
