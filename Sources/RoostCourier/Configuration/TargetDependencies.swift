import Core
import StoreQueries

/// Everything that making a target needs besides its configuration.
package struct TargetDependencies: Sendable {
    package typealias MakeTarget = @Sendable (TargetDependencies) throws -> TargetWork
    package typealias MakeReceiver = @Sendable (TargetDependencies) throws -> any NoticeReceiver

    package let secrets: any SecretSource
    package let station: StationIdentity
    package let clock: any NodeClock
    package let zone: Zone
    /// Phones and browsers that asked for notices; nil where there is no folder for them.
    package var subscribers: SubscriberStore?

    package init(
        secrets: any SecretSource,
        station: StationIdentity,
        clock: any NodeClock,
        zone: Zone
    ) {
        (self.secrets, self.station) = (secrets, station)
        (self.clock, self.zone) = (clock, zone)
    }
}

/// The kind of work that the courier does for one entry of `targets`.
package enum TargetWork: Sendable {
    /// Sends it the samples that are recorded.
    case samples(any SampleTarget)
    /// Sends it the samples, and runs an `MQTTDiscovery` of it beside the outbox.
    case broker(MQTTTarget)
    /// Says that the station is alive.
    case heartbeat(HeartbeatTarget)
    /// Sends it files of what is recorded.
    case files(FileWork)
    /// Sends it the drives that are over.
    case drives(DriveWork)
}
