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

    /// - Parameter station: Nil for a card without its station.
    init(_ station: StationClient?) { self.station = station }

    /// - Returns: An IANA name and the zone.
    func present() async -> (name: String, zone: Zone) {
        if let station {
            do {
                let status = try await station.ask(ControlRequest(.status), StatusReport.self)
                known.withLock { $0 = status.zone }
            } catch {
                // The answer itself says whether the station is away.
            }
        }
        let name = known.withLock { $0 } ?? ZoneName.system
        if let zone = Zone(named: name) { return (name, zone) }
        return (ZoneName.system, Zone(named: ZoneName.system) ?? .system)
    }
}
