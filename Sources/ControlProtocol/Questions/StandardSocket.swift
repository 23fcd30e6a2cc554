import HardwareIO

extension Set<LocalUser> {
    /// People who use the station's computer.
    package static let people: Self = [.root, .person, .unknown]
    /// These, and the dashboard, which serves people on the network.
    package static let peopleAndDashboard = people.union([.dashboard])
}

/// Paths at which programs listen, as the packages install them.
package enum StandardSocket {
    package static let courier = "/run/roost-courier/courier.sock"
    package static let camera = "/run/roost-eyes/eyes.sock"
}
