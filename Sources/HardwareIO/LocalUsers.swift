/// Users at the other end of a local socket, as far as their rights differ.
package enum LocalUser: Hashable, Sendable, CaseIterable {
    /// Root, and the user of the process that answers.
    case root
    /// `roostd`: it reads what is plugged in.
    case station
    /// `roost-web`: it serves people on the network.
    case dashboard
    /// `roost-courier`: it talks to servers.
    case courier
    /// `roost-eyes`: it runs the camera's programs.
    case camera
    /// Another user of this computer, whom the socket's group let in.
    case person
    /// A user without a number here, as a namespace shows those of others.
    case unknown
}

/// The numbers of the users that have a right of their own at a local socket.
///
/// The services are in the group that people are in, so that they may read; a socket's mode cannot
/// tell one from the other. The kernel can: each request names the users that it is for.
package struct LocalUsers: Hashable, Sendable {
    /// User number that the kernel reports for a user without a number in this namespace.
    private static let overflow: UInt32 = 65_534

    /// The process's own; nil where users do not count, as in a simulation.
    package var own: UInt32?
    package var station: UInt32?
    package var dashboard: UInt32?
    package var courier: UInt32?
    package var camera: UInt32?

    /// Users do not count.
    package init() {}

    /// - Parameters:
    ///   - own: The user that this process runs as.
    ///   - number: Returns the number of a user's name; nil where there is no such user.
    package init(own: UInt32, number: (_ name: String) -> UInt32?) {
        self.own = own
        station = number("roost")
        dashboard = number("roost-web")
        courier = number("roost-courier")
        camera = number("roost-eyes")
    }

    /// Returns the user behind a connection; `peer` is nil in a simulation.
    package func user(_ peer: PeerCredentials?) -> LocalUser {
        guard let own, let number = peer?.userID, number != own else { return .root }
        if number == dashboard { return .dashboard }
        if number == courier { return .courier }
        if number == camera { return .camera }
        if number == station { return .station }
        if number == 0 { return .root }
        return number == Self.overflow ? .unknown : .person
    }
}

extension LocalUser {
    /// Why a request is refused, with the next step.
    package func refusal(of request: String, by peer: PeerCredentials?) -> String {
        let name =
            switch self {
            case .root: "root"
            case .station: "the station's program"
            case .dashboard: "the dashboard"
            case .courier: "the courier"
            case .camera: "the camera"
            case .person: "user \(peer.map { "\($0.userID)" } ?? "")"
            case .unknown: "a user without a number here"
            }
        return "\(name) may not ask for \(request); use `sudo roost` on the station"
    }
}
