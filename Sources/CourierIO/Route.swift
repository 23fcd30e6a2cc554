import LinuxIO
import RoostCourier

/// The way to a server.
struct Route: Hashable {
    let place: ServerAddress
    /// The proxy, or the server where there is none.
    let next: ServerAddress
    let addresses: [[UInt8]]
    let reach: AddressRule.Reach

    /// Whether each address is of this computer or of the own network.
    var isNear: Bool {
        addresses.allSatisfy { AddressRule.refusal($0, reach: .internet) != nil }
    }

    /// Judges the address of a connection; nil when it may be used.
    func refusal(_ address: String) -> NetworkFailure? {
        let bytes = NameLookup.ask(address).first ?? []
        return AddressRule.refusal(bytes, reach: reach)
            .map { NetworkFailure(.local, "\(address) \($0)") }
    }
}
