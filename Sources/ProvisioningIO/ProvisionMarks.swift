/// Contents of the boot partition's files that a station has taken, so that each counts once.
///
/// What an owner changes later at the station itself stays as long as the file does.
struct ProvisionMarks: Codable, Hashable, Sendable {
    /// SHA-256 by file name.
    var files: [String: String] = [:]
    /// Files that were taken, and removed for the secret in them.
    var removed: Set<String> = []
    /// Files that were removed for the secret in them, and had no use; nil in marks from before.
    var unused: Set<String>?

    init() {}

    func has(_ name: String, _ bytes: [UInt8]) -> Bool {
        files[name] == UpdateDigest.of(bytes)
    }

    mutating func record(_ name: String, _ bytes: [UInt8]) {
        files[name] = UpdateDigest.of(bytes)
        removed.remove(name)
        unused?.remove(name)
    }
}
