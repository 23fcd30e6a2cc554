/// How a station is connected, and which networks it sees; from the root service for the page.
package struct NetworkSurvey: Codable, Hashable, Sendable {
    /// Folder of what the root service says, in `/run`.
    package static let folder = "run/roost-network"
    package static let path = folder + "/seen.json"
    /// What the service does now; gone when it is done.
    package static let busyPath = folder + "/busy.json"
    /// Bytes of each of these files at most.
    package static let byteCountMax = 64 << 10

    package var hasRadio = false
    /// Whether a cable has a link.
    package var hasCable = false
    /// The Wi-Fi that the station is in, its name as hexadecimal digits.
    package var joined: String?
    /// Name of the station's own access point.
    package var accessPoint: String?
    /// Who may join it; nil: everyone until the station has an owner, then who has its password.
    package var rule: String?
    /// The network whose password the station has.
    package var known: String?
    package var country: String?
    /// Networks in range, the strongest first.
    package var networks: [NetworkInRange] = []
    /// When they were seen: whole seconds since the machine started; nil without any.
    package var seenAt: Int?

    package init() {}
}
