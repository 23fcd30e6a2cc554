import LinuxIO
import RoostCourier
import Synchronization

/// Connects to brokers, and remembers which of them only speak MQTT 3.1.1.
final class BrokerConnector: Sendable {
    private let loop: EventLoop
    /// Brokers that only speak MQTT 3.1.1, as `HOST:PORT`; bound: one for each target.
    private let older = Mutex<Set<String>>([])

    init(on loop: EventLoop) { self.loop = loop }

    /// Connects by the first address that accepts, with MQTT 5 where the broker speaks it.
    ///
    /// - Throws: `NetworkFailure`; `CancellationError`.
    func connect(
        _ broker: BrokerSettings,
        to route: OutboundRoute,
        authorities: String
    ) async throws -> MosquittoConnection {
        var broker = broker
        let place = route.place.text
        if older.withLock({ $0.contains(place) }) { broker.protocolVersion = 4 }
        let setup = BrokerOptions(broker: broker, place: route.place, authorities: authorities)
        do {
            return try await connect(setup, route)
        } catch let refusal as BrokerRefusal {
            guard refusal.isOfVersion, broker.protocolVersion == 5 else {
                throw refusal.failure(place)
            }
        }
        _ = older.withLock { $0.insert(place) }
        broker.protocolVersion = 4
        let again = BrokerOptions(broker: broker, place: route.place, authorities: authorities)
        do {
            return try await connect(again, route)
        } catch let refusal as BrokerRefusal {
            throw refusal.failure(place)
        }
    }

    private func connect(_ setup: BrokerOptions, _ route: OutboundRoute) async throws
        -> MosquittoConnection
    {
        var last = NetworkFailure(.unknownHost, "\(route.place.host) has no address")
        for address in route.addresses.prefix(4) {
            let link = try MosquittoConnection(setup, on: loop)
            do {
                try await link.open(AddressRule.text(address))
                return link
            } catch let failure as NetworkFailure {
                link.end()
                last = failure
                guard [.refused, .unreachable, .connectTimedOut].contains(failure.stage) else {
                    throw failure
                }
            } catch {
                link.end()
                throw error
            }
        }
        last.isNear = route.isNear
        throw last
    }
}
