import HardwareIO

extension Set<LocalUser> {
    /// People who use the station's computer.
    package static let people: Self = [.root, .person, .unknown]
    /// These, and the dashboard, which serves people on the network.
    package static let peopleAndDashboard = people.union([.dashboard])
    /// These, and the courier, which talks to servers.
    package static let readers = peopleAndDashboard.union([.courier])
    /// Those that may have every secret of the station's owner in their hands.
    package static let keepers: Self = [.root, .dashboard]
    /// Users that report where followers are, and what others measured or say.
    package static let courier: Self = [.root, .courier]
    /// Users that report what the camera does.
    package static let camera: Self = [.root, .camera]
}

/// Paths at which programs listen, as the packages install them.
package enum StandardSocket {
    package static let courier = "/run/roost-courier/courier.sock"
    package static let camera = "/run/roost-eyes/eyes.sock"
}
