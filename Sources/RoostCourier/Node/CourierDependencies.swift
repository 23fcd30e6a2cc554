import ControlProtocol
import Core
import Logging
import StoreQueries

/// Dependencies of a courier: sockets and files in the program, a simulated world in tests.
package struct CourierDependencies: Sendable {
    /// Makes the network of one target.
    package typealias MakeNetwork = @Sendable (NetworkNeeds) throws -> any CourierNetwork

    /// Requirements for the network of one target.
    package struct NetworkNeeds: Hashable, Sendable {
        /// Whether an address of this computer is allowed.
        package let allowsLocal: Bool
        /// The proxy's URL, such as `http://proxy.example:3128`; nil for none.
        package let proxy: String?
        /// Whether addresses of private networks are refused too.
        package var isPublicOnly = false
    }

    package let link: any QuestionClient
    package let history: HistoryDisk
    package internal(set) var secrets: any SecretSource
    /// The services that receivers may name.
    package var presets = PresetCatalog.shipped
    package let clock: any NodeClock
    package let logger: Logger
    /// Seed of the random part of the back-off.
    package var seed: UInt64 = 1
    package let network: MakeNetwork
    /// Follows the machine's routes; nil where none are followed.
    package var routes: (any RouteWatch)?
    /// Where subscribers and pauses are kept; nil where there is no folder for them.
    package var files: (any CourierFiles)?
    /// Files that are cleared when the machine starts.
    package var runtime: (any CourierFiles)?
    /// The pictures of motions; nil where none are known.
    package var pictures: (any PictureSource)?
    /// Searches for other stations; nil where that is not possible.
    package var stations: (any StationBrowser)?
    /// URL of the station's dashboard, such as `http://balcony.local`; nil where it announces none.
    package var address: String?
    package var processID: Int32 = 0
    /// The kernel's id of this boot; nil where it gives none.
    package var boot: BootID?
    /// The machine's zone, where the station names none.
    package var zone = Zone.utc
    /// Finds a zone by name, such as `Europe/Berlin`; nil for an unknown name.
    package var findZone: @Sendable (String) -> Zone? = { Zone(named: $0) }
    /// Ends the process at once, when a child could not be stopped.
    package var endProcess: @Sendable (_ reason: String) -> Void = { _ in }
    /// Pets the watchdog: called while all children make progress, and once all have begun.
    package var pet: @Sendable () -> Void = {}
    /// Time within which the service manager expects the next sign of life.
    package var watchdog: Duration = .seconds(120)

    package init(
        link: any QuestionClient,
        history: HistoryDisk,
        secrets: any SecretSource,
        clock: any NodeClock,
        logger: Logger,
        network: @escaping MakeNetwork
    ) {
        (self.link, self.history, self.secrets) = (link, history, secrets)
        (self.clock, self.logger, self.network) = (clock, logger, network)
    }
}
