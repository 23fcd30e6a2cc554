import LinuxIO
import RoostCourier

/// A server, the addresses to connect to, and the proxy if there is one.
struct OutboundRoute: Hashable {
    let place: ServerAddress
    /// Server to connect to: the proxy, or the target's server where there is none.
    let next: ServerAddress
    let addresses: [[UInt8]]
    let reach: AddressRule.Reach

    /// Whether every address is of this computer or of the own network.
    var isNear: Bool {
        addresses.allSatisfy { AddressRule.refusal($0, reach: .internet) != nil }
    }

    /// Returns why a connection's address is refused; nil when it may be used.
    func refusal(_ address: String) -> NetworkFailure? {
        let bytes = NameLookup.ask(address).first ?? []
        return AddressRule.refusal(bytes, reach: reach)
            .map { NetworkFailure(.local, "\(address) \($0)") }
    }
}
