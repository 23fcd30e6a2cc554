import ControlProtocol

/// Reports on the MQTT brokers and Home Assistants that announce themselves on the local network.
///
/// Only an owner asks, who looks for a target: `stations` of the configuration need not be set. No
/// server that was found is contacted.
struct NearbyFinder: Sendable {
    private static let loopback = "127.0.0.1"

    private let browser: (any StationBrowser)?
    private let turn: TaskLock

    init(_ world: CourierDependencies) {
        browser = world.stations
        turn = TaskLock(world.clock)
    }

    /// Searches once, for a few seconds at most.
    ///
    /// - Throws: `CancellationError`.
    func report() async throws -> NearbyReport {
        guard let browser else { return NearbyReport(.noProgram) }
        do {
            let found = try await turn.run { try await search(browser) }
            return NearbyReport(.done, items: found)
        } catch StationSearchError.noProgram {
            return NearbyReport(.noProgram)
        } catch StationSearchError.failed(let words) {
            return NearbyReport(.failed, why: words)
        }
    }

    /// Searches for all kinds at once; a broker of a Home Assistant is listed as that.
    private func search(_ browser: any StationBrowser) async throws -> [NearbyServer] {
        let search = ServiceSearch(browser: browser)
        let found = try await withThrowingTaskGroup(
            of: (NearbyServer.Kind, [NearbyServer]).self
        ) { group in
            for kind in NearbyServer.Kind.allCases {
                group.addTask {
                    let (services, own) = try await search.find(kind.service)
                    return (kind, services.map { Self.server(kind, $0, own) })
                }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        var urls: Set<String> = []
        return NearbyServer.Kind.allCases.flatMap { found[$0] ?? [] }
            .filter { urls.insert($0.url).inserted }
    }

    private static func server(
        _ kind: NearbyServer.Kind,
        _ service: NetworkService,
        _ ownAddresses: Set<String>
    ) -> NearbyServer {
        let isLocal = !ownAddresses.isDisjoint(with: service.addresses)
        // A broker as installed by Debian listens at this address only.
        let address = isLocal ? loopback : service.addresses[0]
        let (scheme, port) = kind.broker
        return NearbyServer(
            kind,
            name: service.name,
            host: service.host,
            url: "\(scheme)://\(address):\(port ?? service.port)",
            isLocal: isLocal
        )
    }
}

extension NearbyServer.Kind {
    /// Type of its service on the network.
    fileprivate var service: String {
        switch self {
        case .homeAssistant: "_home-assistant._tcp"
        case .encryptedBroker: "_secure-mqtt._tcp"
        case .broker: "_mqtt._tcp"
        }
    }

    /// Scheme of its broker's URL, and the port where that is not the announced one.
    fileprivate var broker: (scheme: String, port: Int?) {
        switch self {
        case .homeAssistant: ("mqtt", 1_883)
        case .encryptedBroker: ("mqtts", nil)
        case .broker: ("mqtt", nil)
        }
    }
}
