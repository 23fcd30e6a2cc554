import ControlProtocol
import Logging
import StoreQueries

/// What faces read.
package struct FaceSources: Sendable {
    let history: HistoryClient
    /// Nil for a card without its station.
    let station: StationClient?
    /// What is kept over a restart of the dashboard; nil where nothing is written.
    let database: WebDatabase?
    /// Nil for a card without its station.
    package var courier: CourierClient?
    let name: String
    private let owner: OwnerZone
    /// Whether `?now=` may take the place of the present.
    package var isSimulated = false
    let logger: Logger

    /// - Parameters:
    ///   - station: Nil for a card without its station.
    ///   - database: Nil where nothing is written.
    ///   - zone: The machine's, which counts while the station names none.
    ///   - logger: Gets what cannot be kept.
    package init(
        _ history: HistoryClient,
        _ station: StationClient?,
        _ database: WebDatabase?,
        name: String,
        zone: Zone,
        logger: Logger
    ) {
        (self.history, self.station, self.database) = (history, station, database)
        (self.name, self.logger) = (name, logger)
        owner = OwnerZone(station, machine: zone)
    }

    /// The one that the owner set.
    func zone() async -> Zone { await owner.present().zone }

    /// - Throws: `Problem`.
    func status() async throws -> StatusReport {
        guard let station else {
            throw Problem(.notOffered, "a card's history has no present values")
        }
        do {
            return try await station.ask(ControlRequest(.status), StatusReport.self)
        } catch let failure as ControlFailure { throw Problem(failure) }
    }
}
