import ControlProtocol
import Core
import Logging
import Runtime

/// Sends the station the time of others nearby, while it has no better source.
struct NeighbourTimes: Child {
    /// Wait after the start; doubled until another station knows the time.
    static let delay: Duration = .seconds(20)
    static let delayMax: Duration = .minutes(10)
    /// Wait while the time is known.
    static let interval: Duration = .seconds(6 * 3_600)

    let world: CourierDependencies
    /// Asks other stations for the time; nil where the configuration does not allow it.
    let times: @Sendable () async throws -> [NeighbourTime]?

    func run() async throws {
        var wait = Self.delay
        while !Task.isCancelled {
            try await world.clock.sleep(for: wait, tolerance: wait / 5)
            let isKnown = try await look()
            wait = isKnown ? Self.interval : min(wait * 2, Self.delayMax)
        }
    }

    /// - Returns: Whether the station is sure of the time.
    private func look() async throws -> Bool {
        do {
            var clock = try await world.link.ask(GetClock())
            guard !clock.isSure || clock.trust == ClockTrust.station.name else {
                return true
            }
            if let times = try await times(), !times.isEmpty {
                clock = try await world.link.ask(HearNeighbours(times))
                say(clock.nearby)
            }
            return clock.isSure
        } catch let error where !(error is CancellationError) {
            let details: Logger.Metadata = ["why": "\(error)"]
            world.logger.info("stations nearby are not asked for the time", metadata: details)
            return false
        }
    }

    private func say(_ nearby: NearbyClockReport?) {
        guard let nearby, nearby.state != .used else { return }
        let details: Logger.Metadata = [
            "why": "\(nearby.state.rawValue)",
            "stations": "\(nearby.stations.joined(separator: ", "))",
        ]
        world.logger.warning("the time of stations nearby is not used", metadata: details)
    }
}
