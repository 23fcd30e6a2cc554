import Core
import HardwareIO
import Profiles

/// Checks of a profile that go beyond its form.
private enum ProfileChecks {
    /// A line's fields are the channels, so its own reader compares them.
    private static func lineProblems(_ profile: Profile) -> [ConfigurationProblem] {
        do throws(DialectError) { _ = try LineFormat(profile) } catch { return error.problems }
        return []
    }

    /// Lets the role on a line read its defaults.
    private static func roleProblems(_ profile: Profile) -> [ConfigurationProblem] {
        let problems = ProblemList()
        guard var reader = ObjectReader(profile.settings, at: "settings", problems) else {
            return problems.problems
        }
        // The line is the configuration's to tell.
        let anywhere = LineRequest.Line.offset(0)
        switch profile.driver {
        case "pir":
            var settings = PIRSettings(line: anywhere)
            settings.read(&reader)
        case "button":
            var settings = ButtonSettings(line: anywhere)
            settings.read(&reader)
        case "led":
            var settings = LEDSettings(line: anywhere)
            settings.read(&reader)
        case "traffic-light":
            var settings = TrafficLightSettings()
            settings.read(&reader)
            settings.complaint.map { problems.add("settings", $0) }
        default: return []
        }
        reader.finish()
        return problems.problems
    }

    /// Lets the driver read its settings, and compares what it measures with the channels.
    fileprivate static func settingsProblems(_ profile: Profile) -> [ConfigurationProblem] {
        if profile.kind == .http { return lineProblems(profile) }
        if profile.kind == .gpio { return roleProblems(profile) }
        guard let driver = profile.driver, let kind = DeviceCatalog.kind(driver) else { return [] }
        let dialect: any SensorDialect
        do throws(DialectError) { dialect = try kind.dialect(profile) } catch {
            return error.problems
        }
        let measured = dialect.quantities
        let claimed = profile.channels.map(\.quantity)
        let unknown = claimed.enumerated().filter { !measured.contains($0.element) }
        let missing = measured.filter { quantity in
            !claimed.contains { $0.name == quantity.name }
        }
        return unknown.map { index, quantity in
            let same = measured.first { $0.name == quantity.name }
            let names = measured.map(\.name)
            return ConfigurationProblem(
                place: "channels[\(index)]",
                message: same.map {
                    "\($0.name) of driver \(driver) is in \($0.unit) with \($0.decimals) decimals"
                } ?? "driver \(driver) measures no \(quantity.name)",
                suggestion: same == nil
                    ? Spelling.nearest(to: quantity.name, among: names) : nil
            )
        }
            + missing.map {
                ConfigurationProblem(
                    place: "channels",
                    message: "\($0.name), which driver \(driver) measures, has no entry"
                )
            }
    }
}

extension Profile {
    /// The profile under whose id the running time of its parts is kept.
    ///
    /// One that names no adapter reads the parts of the shipped profile with the same driver and
    /// channels, so that a change from one to the other begins no new account.
    package var partProfileID: String {
        guard matches.isEmpty else { return id }
        let same = ProfileCatalog.shipped.profiles.first { other in
            other.driver == driver && !other.matches.isEmpty
                && other.channels.map(\.quantity) == channels.map(\.quantity)
        }
        return same?.id ?? id
    }
}

extension ProfileCatalog {
    /// The shipped profiles, checked as a station checks them.
    package static let shipped = ProfileCatalog(reader: .checking)
}

extension ProfileReader {
    /// Reads with everything that a station checks: drivers, their settings, graphs.
    package static let checking = ProfileReader(
        settingsProblems: ProfileChecks.settingsProblems,
        graphProblems: { graph, channels in
            let problems = ProblemList()
            _ = GraphReader.read(graph, channels: channels, at: "graph", problems)
            return problems.problems
        }
    )
}
