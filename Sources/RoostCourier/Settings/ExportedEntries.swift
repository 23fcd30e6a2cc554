import ControlProtocol
import Core
import Profiles

/// `courier.json` with the owner's entries written into it: a file for another card.
struct ExportedEntries {
    let file: ExportedFile

    /// - Parameters:
    ///   - source: The members of the file.
    ///   - overlay: The owner's entries.
    ///   - leftOut: Those that are not in use.
    /// - Throws: `ConfigurationError` for a file that could not be read again.
    init(
        _ source: [String: JSONValue],
        _ overlay: CourierOverlay,
        leftOut: [CourierReport.LeftOut],
        _ presets: PresetCatalog
    ) throws(ConfigurationError) {
        var members = source
        var reasons = leftOut.map { "\($0.id): \($0.sentence)" }
        let unused = Set(leftOut.map(\.id))
        for (id, entry) in overlay.entries.sorted(by: { $0.key < $1.key })
        where !unused.contains(id) {
            var fields = entry.fields
            fields["id"] = .string(id)
            for key in overlay.secrets[id, default: [:]].keys {
                let name = Self.secretName(id, key)
                fields[key] = .object(["secret": .string(name)])
            }
            var list: [JSONValue] = []
            if case .array(let found)? = members[entry.section.rawValue] { list = found }
            members[entry.section.rawValue] = .array(list + [.object(fields)])
        }
        // A proxy's address may hold a name and a password.
        if case .object(var network)? = members["network"],
            case .string(let proxy)? = network["proxy"], proxy.contains("@")
        {
            network["proxy"] = nil
            members["network"] = .object(network)
            reasons.append("network.proxy: its address holds a password; write it there anew")
        }
        let text = JSONValue.object(members).lines + "\n"
        let again = try CourierConfiguration(
            Array(text.utf8),
            file: "the exported courier.json",
            presets: presets
        )
        file = ExportedFile(
            name: "courier.json",
            content: text,
            secrets: again.secrets.map(\.text),
            leftOut: reasons
        )
    }

    /// Name of a secret that the owner gave to an entry, as an administrator would call it.
    private static func secretName(_ id: String, _ key: String) -> String { "\(id)-\(key)" }
}

extension CourierSettings {
    /// `courier.json` with the entries that were added, for another card.
    ///
    /// - Throws: `ConfigurationError`; `ControlFailure` for settings that cannot be read.
    func exported() throws -> ExportedFile {
        if let trouble { throw ControlFailure(code: .store, message: trouble) }
        return try ExportedEntries(file.source, overlay, leftOut: merged.leftOut, presets).file
    }
}
