import Profiles

/// The files of `scenarios/`, which are part of the binary.
package enum ShippedScenarios {
    /// The JSON Schema of a scenario.
    package static let schema = PackageResources.scenario_schema_json

    /// Files by name, one line each; a test compares this list with the folder.
    package static let files: [ProfileFile] = [
        file("bad-card", PackageResources.bad_card_json),
        file("battery", PackageResources.battery_json),
        file("brownouts", PackageResources.brownouts_json),
        file("classroom", PackageResources.classroom_json),
        file("clockless", PackageResources.clockless_json),
        file("cold-parts", PackageResources.cold_parts_json),
        file("drawer", PackageResources.drawer_json),
        file("drive", PackageResources.drive_json),
        file("dying-sensor", PackageResources.dying_sensor_json),
        file("everything", PackageResources.everything_json),
        file("flaky-usb", PackageResources.flaky_usb_json),
        file("owner", PackageResources.owner_json),
        file("power-cuts", PackageResources.power_cuts_json),
        file("quiet-year", PackageResources.quiet_year_json),
        file("storms", PackageResources.storms_json),
        file("wrong-week", PackageResources.wrong_week_json),
        file("wrong-years", PackageResources.wrong_years_json),
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
