import Profiles

/// The files of `scenarios/`, which are part of the binary.
package enum ShippedScenarios {
    /// One line each, in order of name; a test holds this list and the folder equal.
    package static let files: [ProfileFile] = [
        file("quiet-year", PackageResources.quiet_year_json)
    ]

    /// Reads a shipped scenario; nil when none is named so.
    ///
    /// - Throws: `ConfigurationError`.
    package static func scenario(_ name: String) throws -> Scenario? {
        guard let found = files.first(where: { $0.path == "\(name).json" }) else { return nil }
        return try Scenario.read(try found.contents.get(), file: found.path)
    }

    private static func file(_ name: String, _ bytes: [UInt8]) -> ProfileFile {
        ProfileFile(path: "\(name).json", bytes: bytes)
    }
}
