/// Searches the local network for services of one type, each with an IPv4 address.
struct ServiceSearch: Sendable {
    let browser: any StationBrowser
    /// Whether an address of this computer is one.
    var allowsLocal = false

    /// - Parameter type: As `_mqtt._tcp`.
    /// - Returns: The services that have an address, and the addresses of this computer.
    /// - Throws: `StationSearchError`; `CancellationError`.
    func find(_ type: String) async throws
        -> (services: [NetworkService], ownAddresses: Set<String>)
    {
        let found = try await browser.browse(type)
        var services = AvahiServices.decode(found.output, of: type, allowsLocal: allowsLocal)
        let open = Set(services.filter(\.addresses.isEmpty).map(\.host))
        if !open.isEmpty {
            let output = try await browser.resolve(open.sorted())
            let addresses = AvahiServices.addresses(output, allowsLocal: allowsLocal)
            for (index, service) in services.enumerated() where service.addresses.isEmpty {
                services[index].addresses = addresses[service.host].map { [$0] } ?? []
            }
        }
        return (services.filter { !$0.addresses.isEmpty }, found.ownAddresses)
    }
}
