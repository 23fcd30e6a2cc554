/// Contents of the boot partition's files that a station has taken, so that each counts once.
///
/// What an owner changes later at the station itself stays as long as the file does.
package struct ProvisionMarks: Codable, Hashable, Sendable {
    /// SHA-256 by file name.
    package var files: [String: String] = [:]
    /// Files that were taken, and removed for the secret in them.
    package var removed: Set<String> = []
    /// Files that were removed for the secret in them, and had no use; nil in marks from before.
    package var unused: Set<String>?

    package init() {}

    package func has(_ name: String, _ bytes: [UInt8]) -> Bool {
        files[name] == UpdateDigest.of(bytes)
    }

    package mutating func record(_ name: String, _ bytes: [UInt8]) {
        files[name] = UpdateDigest.of(bytes)
        removed.remove(name)
        unused?.remove(name)
    }
}
