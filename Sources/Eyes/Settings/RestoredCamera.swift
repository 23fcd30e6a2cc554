import ControlProtocol
import Profiles

/// Settings of a backup in place of those that the owner made of the camera.
struct RestoredCamera {
    let next: EyesOverlay
    /// The configuration in use then; nil for a camera that is off.
    let configuration: EyesConfiguration?
    /// An item for each setting, with its key.
    let report: RestoreReport

    /// - Parameters:
    ///   - own: What the owner has set; nothing where it cannot be used.
    ///   - file: What `eyes.json` has.
    ///   - fixed: Says why a setting of the owner counts nothing; nil for one that counts.
    /// - Throws: `ConfigurationError` for a content that cannot be used.
    init(
        _ content: String,
        over own: EyesOverlay,
        behind file: [String: JSONValue],
        fixed: (_ key: String) -> String?
    ) throws(ConfigurationError) {
        next = try EyesOverlay(Array(content.utf8), file: "the backup's camera")
        configuration = try next.configuration(behind: file, named: "the backup's camera")
        let (before, after) = (own.leaves, next.leaves)
        let keys = Set(before.keys).union(after.keys).sorted()
        report = RestoreReport(
            keys.compactMap { key in
                var item = RestoreReport.Item(.camera, key, before[key], after[key])
                item?.value = after[key]?.text
                item?.next = after[key] == nil ? nil : fixed(key)
                return item
            }
        )
    }
}
