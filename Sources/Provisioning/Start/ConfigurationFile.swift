import HardwareIO

/// A configuration on the boot partition, which is put into `/etc/roost` once it is right.
package enum ConfigurationFile: String, CaseIterable, Sendable {
    case station = "roost.json"
    case courier = "courier.json"
    case camera = "eyes.json"

    package static let byteCountMax = 1 << 20

    private var page: String {
        switch self {
        case .station: "docs/reference/configuration.md"
        case .courier: "docs/reference/courier.md"
        case .camera: "docs/reference/camera.md"
        }
    }

    /// - Parameter mistake: Its place in the file, and what is wrong there.
    package func problem(_ mistake: String) -> ProvisionProblem {
        let effect =
            self == .station
            ? "the station goes on with its present configuration" : "the file is not used"
        return ProvisionProblem(
            rawValue,
            "\(PlainText.shown(mistake, limit: 300)); \(effect)",
            next: "Correct it there: \(page) has all settings"
        )
    }
}
