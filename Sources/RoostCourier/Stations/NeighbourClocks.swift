import ControlProtocol
import Core
import Logging

/// Asks other stations for the time.
struct NeighbourClocks: Sendable {
    /// Time for one question, in seconds: half of the round trip is uncertainty.
    private static let timeoutSeconds = 2
    private static let answerMax = 4 << 10
    /// Time for all questions: stations not asked by then are left out.
    private static let patience: Duration = .seconds(20)

    let finder: StationFinder
    private var world: CourierDependencies { finder.world }

    /// Asks the stations of feeds and of the local network that are sure of the time.
    ///
    /// - Returns: The times at the moment of the return, at most `NeighbourTime.countMax`.
    /// - Throws: `CancellationError`.
    func times(_ configuration: CourierConfiguration) async throws -> [NeighbourTime] {
        try await finder.turn.run {
            let entry = configuration.stations
            let (search, found) = try await finder.search(entry, isWanted: true)
            if search.search != .done {
                let why = search.why ?? search.search.rawValue
                world.logger.info("no search for stations nearby", metadata: ["why": "\(why)"])
            }
            let end = world.clock.now.advanced(by: Self.patience)
            var heard: [(name: String, time: PeerTime, at: MonotonicInstant)] = []
            let candidates = StationFinder.candidates(configuration, found)
            for candidate in candidates.prefix(NeighbourTime.countMax) {
                guard world.clock.now < end else { break }
                guard let time = try await time(of: candidate, configuration.network.proxy) else {
                    continue
                }
                heard.append((candidate.station.name, time, world.clock.now))
            }
            let now = world.clock.now
            return heard.map { name, time, at in
                NeighbourTime(
                    name: String(decoding: name.utf8.prefix(NeighbourTime.nameMax), as: UTF8.self),
                    milliseconds: time.wall.advanced(by: at.duration(to: now)).nanoseconds
                        / 1_000_000,
                    uncertaintySeconds: time.uncertaintySeconds,
                    trust: time.trust
                )
            }
        }
    }

    /// Asks one station; nil when it does not know the time, or is not a station.
    private func time(
        of candidate: StationFinder.Candidate,
        _ proxy: String?
    ) async throws -> PeerTime? {
        do {
            let needs = CourierDependencies.NetworkNeeds(
                allowsLocal: candidate.isLocal,
                proxy: proxy
            )
            let network = TargetNetwork(try world.network(needs))
            let url = MaskedText(candidate.station.url + "/api/v1/time")
            var request = OutboundRequest(.get, url, [.init("Accept", "application/json")])
            request.trust = candidate.trust
            request.timeoutSeconds = Self.timeoutSeconds
            request.answerLimit = Self.answerMax
            let asked = world.clock.now
            let answer = try await network.exchange(request)
            guard answer.isSuccess, !answer.isHTML else { return nil }
            return try PeerTime(answer.body, after: asked.duration(to: world.clock.now))
        } catch let error where !(error is CancellationError) {
            let details: Logger.Metadata = [
                "station": "\(candidate.station.name)", "why": "\(error)",
            ]
            world.logger.info("a station nearby does not say the time", metadata: details)
            return nil
        }
    }
}
