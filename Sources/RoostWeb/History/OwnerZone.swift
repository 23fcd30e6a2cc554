import ControlProtocol
import StoreQueries
import Synchronization

/// The zone that the owner set on the station, for questions that name none.
///
/// While the station does not answer it is the last one that the station named, and the machine's
/// before that: so a page of a card without its station has one too.
final class OwnerZone: Sendable {
    private let station: StationClient?
    private let known = Mutex<String?>(nil)

    private let machine: (name: String, zone: Zone)

    /// - Parameters:
    ///   - station: Nil for a card without its station.
    ///   - zone: The machine's; nil asks it.
    init(_ station: StationClient?, machine zone: Zone? = nil) {
        self.station = station
        let name = ZoneName.system
        machine = (name, zone ?? Zone(named: name) ?? .system)
    }

    /// - Returns: An IANA name and the zone.
    func present() async -> (name: String, zone: Zone) {
        if let station {
            do {
                let status = try await station.ask(GetStatus())
                known.withLock { $0 = status.zone }
            } catch {
                // The answer itself says whether the station is away.
            }
        }
        guard let name = known.withLock({ $0 }), let zone = Zone(named: name) else {
            return machine
        }
        return (name, zone)
    }
}
