import Profiles

/// The presets that a configuration may use: the shipped ones, and the owner's, which go first.
///
/// When a service changes its answers, a new file is enough, without another version of Roost.
package struct PresetCatalog: Sendable {
    /// The owner's files at most.
    package static let ownLimit = 32
    /// Folder of the owner's files, unless a command says otherwise.
    package static let standardFolder = "/etc/roost/courier-presets"

    /// The catalog without files of the owner.
    package static let shipped = PresetCatalog(own: [:])

    private let own: [String: Preset]

    private init(own: [String: Preset]) { self.own = own }

    /// - Parameter files: The owner's, each with its path and its bytes; one with the id of a
    ///   shipped one stands in its place.
    /// - Throws: `ConfigurationError` of the first file that is wrong, with all its mistakes.
    package init(
        reading files: [(path: String, bytes: [UInt8])]
    ) throws(ConfigurationError) {
        var own: [String: Preset] = [:]
        for file in files {
            guard own.count < Self.ownLimit else {
                throw ConfigurationError(
                    file: file.path,
                    message: "is one too many: \(Self.ownLimit) presets are the limit"
                )
            }
            let preset = try PresetReader.read(file.bytes, file: file.path)
            guard !Self.reserved.contains(preset.id) else {
                throw ConfigurationError(
                    file: file.path,
                    message: "\(preset.id) is no preset but a type of its own: take another id"
                )
            }
            own[preset.id] = preset
        }
        self.init(own: own)
    }

    private static let reserved = [MailKind.name, PushKinds.webPush, PushKinds.apns]

    /// All ids, sorted.
    package var ids: [String] {
        Set(ShippedPresets.files.map(\.id) + own.keys).sorted()
    }

    /// Returns the preset of an id; nil when there is none.
    ///
    /// - Throws: `ConfigurationError` for a shipped file that the tests never saw.
    package func preset(_ id: String) throws(ConfigurationError) -> Preset? {
        if let preset = own[id] { return preset }
        return try ShippedPresets.preset(id)
    }
}
