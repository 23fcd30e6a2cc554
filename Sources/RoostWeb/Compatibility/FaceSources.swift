import ControlProtocol
import Logging
import StoreQueries

/// The data that faces read.
package struct FaceSources: Sendable {
    let history: HistoryClient
    /// The station; nil for a card without its station.
    let station: StationClient?
    /// Database that keeps data over restarts of the dashboard; nil where nothing is written.
    let database: WebDatabase?
    /// The courier; nil for a card without its station.
    package var courier: (any QuestionClient)?
    let name: String
    private let owner: OwnerZone
    /// Whether `?now=` may replace the present time.
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

    /// The zone that the owner set.
    func zone() async -> Zone { await owner.present().zone }

    /// - Throws: `Problem`, `ControlFailure`.
    func status() async throws -> StatusReport {
        guard let station else {
            throw Problem(.notOffered, "a card's history has no present values")
        }
        return try await station.ask(GetStatus())
    }
}
