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
    let zone: Zone
    /// Whether `?now=` may take the place of the present.
    package var isSimulated = false
    let logger: Logger

    package init(
        _ history: HistoryClient,
        _ station: StationClient?,
        _ database: WebDatabase?,
        name: String,
        zone: Zone,
        logger: Logger
    ) {
        (self.history, self.station, self.database) = (history, station, database)
        (self.name, self.zone, self.logger) = (name, zone, logger)
    }

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
